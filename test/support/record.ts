// Records a simulator as media-gateway-doctor records a gateway, but for the pseudonyms.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Json = Record<string, unknown>

/** One request that read, and what came. */
export interface Answer {
  method: string
  path: string
  status: number
  body: unknown
}

export interface Report extends Json {
  answers: Answer[]
}

const PAGE = 5

/** What the gateway at a URL answers to all requests that read, in the order of the doctor. */
export async function record(url: string): Promise<Report> {
  const login = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'haiadmin', password: 'manager' }),
  })
  const { response } = (await login.json()) as { response: { sessionID: string } }
  const headers = { Cookie: `sessionID=${response.sessionID}` }
  const answers: Answer[] = []
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}${path}`, { headers })
    const body = (await answer.json()) as T
    answers.push({ method: 'GET', path, status: answer.status, body })
    return body
  }
  await read('/api/session')
  for (const { _id } of await read<Array<{ _id: string }>>('/api/devices')) {
    await read(`/api/devices/${_id}`)
    const routes = new Set<string>()
    for (let page = 1, pages = 1; page <= pages; page++) {
      const list = await read<{ data: Array<{ id: string }>; numPages: number }>(
        `/api/gateway/${_id}/routes?page=${page}&pageSize=${PAGE}`,
      )
      pages = list.numPages
      for (const { id } of list.data) routes.add(id)
    }
    for (const id of routes) await read(`/api/gateway/${_id}/statistics?routeID=${id}`)
  }
  await fetch(`${url}/api/session`, { method: 'DELETE', headers })
  return reportOf(answers)
}

export const reportOf = (answers: Answer[]): Report => ({
  format: 'media-gateway-report',
  version: 1,
  answers,
})

let files = 0

/** Writes a file for the simulator; returns its path. */
export function saved(content: unknown): string {
  const path = join(tmpdir(), `media-gateway-report-${process.pid}-${++files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
