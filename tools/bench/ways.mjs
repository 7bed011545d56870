// The same read, a list of routes, made by several nodes in the same flow.
import { between } from './inside.mjs'

export const ACCOUNT = { username: 'operator', password: 'supervisor' }

/**
 * Deploys them, and returns each as a function that makes one call and returns the routes. All
 * make exactly the same call: one page.
 */
export async function deployWays({ url, deviceId }, { deploy, pass }) {
  const paging = { page: 1, pageSize: 1000 }
  const address = `${url}/api/gateway/${deviceId}/routes?page=1&pageSize=1000`
  const headers = { cookie: await login(url), accept: 'application/json' }
  await deploy([
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'gateway', type: 'media-gateway', baseUrl: url, credentials: ACCOUNT },
    ...between({ id: 'least', type: 'bench-least' }),
    ...between({ id: 'ours', type: 'media-gateway-list-routes', gateway: 'gateway' }),
    ...between({ id: 'core', type: 'http request', method: 'GET', ret: 'obj', persist: true }),
  ])
  const routesOf = async (entry, message) => (await pass(entry, message)).payload.data
  return {
    'minimal node': () => routesOf('least-in', { url: address, headers }),
    'our node': () => routesOf('ours-in', { deviceId, ...paging }),
    'http request node': () => routesOf('core-in', { url: address, headers }),
  }
}

async function login(url) {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  })
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}
