// Who may use the editor of npm start: whoever has its printed address, and no other web page. The
// demo may hold the password of a real gateway, and a flow can run any program.
import { randomBytes } from 'node:crypto'

const HOSTS = ['127.0.0.1', 'localhost']

/**
 * Settings of Node-RED that let in only requests with a token, which is new at each start. The editor
 * takes it from its address (`?access_token=`) once.
 */
export function newAccess() {
  const token = randomBytes(24).toString('base64url')
  const nobody = async () => null
  const user = { username: 'demo', permissions: '*' }
  const adminAuth = {
    type: 'credentials',
    users: async (name) => (name === user.username ? user : null),
    authenticate: nobody,
    tokens: async (given) => (given === token ? user : null),
  }
  return { token, adminAuth }
}

/**
 * Refuses what another page sends from the same browser, also one that has given its name the address
 * of this computer.
 * @returns the middleware; to use before anything of Node-RED
 */
export function ownPagesOnly(server) {
  const isOwn = ({ headers: { host = '', origin } }) => {
    const { hostname, port } = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : {}
    const isHere = HOSTS.includes(hostname) && Number(port || 80) === server.address().port
    return isHere && (origin === undefined || origin === `http://${host}`)
  }
  // Web sockets know no permission of another origin.
  server.prependListener('upgrade', (request, socket) => {
    if (!isOwn(request)) socket.destroy()
  })
  return (request, response, next) => {
    if (isOwn(request)) next()
    else response.status(403).type('text').send('This page is not the one of npm start.')
  }
}
