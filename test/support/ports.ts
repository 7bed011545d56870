import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below those that a system gives to whoever asks for any: nobody takes one before it is used. Each process
// begins at another one.
const [FIRST, END] = [20_000, 32_000]
let next = randomInt(FIRST, END)

/** A port of this machine on which nobody listens, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = port + 1 < END ? port + 1 : FIRST
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.on('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
