/** The sentences of errors: what happened, and what to do. */

import type { Short } from './model/faults'

/** The values for the marks of a sentence. None of them is a secret. */
export type Values = Readonly<Record<string, string | number>>

/** One sentence of an error. Its words have a mark, such as `__status__`, for each value. */
export interface Sentence {
  /** In the catalogs of the editor, under `failure`; none where it never gets there. */
  key?: SentenceKey
  words: string
  values: Values
  /** What it reports in short, where that is not in the code of the error. */
  news?: News
  /** The fault that it reports, for a place without room for a sentence. */
  short?: Short
}

/** A change that was made in part, a name that is not unique, or a protected route. */
export type News =
  | 'restartFailed'
  | 'restartInDoubt'
  | 'afterStop'
  | 'afterChange'
  | 'sameName'
  | 'protected'
  | 'shared'

export type SentenceKey = keyof typeof SENTENCES

/** Those that can reach the editor, in each language. `__host__` is filled where an error is reported. */
export const SENTENCES = {
  // The connection.
  noConnectionInTime:
    'No connection to __host__ within __time__ s. Check the URL, firewall and VPN, or increase the request timeout of the gateway.',
  lateConnection:
    'A connection to __host__ takes longer than __time__ s, but a change has to be sent within that time after its route was read. Check the network to the gateway.',
  noConnectionInAttempts:
    'No connection to __host__ in __attempts__ attempts within __time__ s. Check the URL, firewall and VPN, or increase the request timeout of the gateway.',
  noResponseInTime: '__host__ did not respond within __time__ s.',
  noResponseToAttempts: '__host__ did not respond to __attempts__ attempts within __time__ s.',
  tryAgainOrWait: 'Try again later, or increase the request timeout of the gateway.',
  tryAgain: 'Try again in a moment.',
  cutOff: '__host__ cut off its response before the end.',
  tooLarge:
    'The response of __host__ is larger than __size__ and was not read. Check that the URL leads to a gateway.',
  encoded:
    'The response of __host__ has an encoding that was not requested ("__encoding__"), and was not read. Turn off compression in the server or proxy in front of the gateway.',
  refused:
    '__host__ refused the connection: nothing listens at this address and port. Check the URL, and that the gateway is running.',
  closed: '__host__ closed the connection without a response. It may be restarting.',
  noName:
    '__host__ was not found: its name cannot be resolved (__reason__). Check the URL and the DNS.',
  noRoute: '__host__ cannot be reached from this machine (__reason__). Check network and routing.',
  timedOut: 'The connection to __host__ timed out (__reason__). Check the URL, firewall and VPN.',
  proxyRefused:
    'The HTTP proxy did not let the connection to __host__ through (HTTP __status__). Check the proxy configuration.',
  proxyFailed:
    'No connection to the HTTP proxy on the way to __host__ (__reason__). Check the proxy and its configuration.',
  proxySilent: 'The HTTP proxy did not connect to __host__ in time. Check the proxy configuration.',
  connectionFailed: 'The connection to __host__ failed (__reason__).',
  noHttp: 'The server at __host__ does not speak HTTP. Check the URL and its port.',
  maybeHttps: 'If this port speaks https, the URL must begin with https://.',
  maybeHttp: 'If this port speaks http, the URL must begin with http://.',
  stopped: 'The call was stopped before __host__ responded, for example by a deploy.',

  // TLS.
  badTls:
    'Invalid TLS or proxy configuration for __host__ (__reason__). Check its certificate, key, passphrase and URL.',
  tlsBroke: 'The TLS connection to __host__ broke (__reason__).',
  tlsFailed:
    'The TLS connection to __host__ failed (__reason__). Check the port, and which TLS versions and certificates the gateway accepts.',
  speaksNoTls:
    'The server at __host__ does not speak https at this port. If it speaks http, the URL must begin with http://.',
  selfSigned: 'The certificate of __host__ is self-signed.',
  unknownAuthority: 'The certificate of __host__ comes from an unknown authority.',
  expired: 'The certificate of __host__ has expired. Renew it.',
  notYetValid:
    'The certificate of __host__ is not valid yet. Check the clocks of the gateway and of this machine.',
  otherName: 'The certificate of __host__ was issued for another name.',
  pin: 'To trust exactly this certificate, enter its SHA-256 fingerprint in the configuration of the gateway.',
  otherCertificate:
    '__host__ presents a certificate other than the pinned one. The request was not sent. Find out why it changed before you pin the new one.',

  // Fleets.
  notOwned:
    'This instance no longer owns the appliance, or cannot prove that it does. The request was not sent.',
  otherFlows:
    'This node is missing, or has other settings, on the instance that owns the appliance. Deploy the same flows on all instances.',
  failoverWaits:
    'The failover is waiting for its stored state from the engine of the fleet. Until then, it protects nothing. Check the NATS server and the network.',
  otherVersion:
    'Another version of the nodes runs on the instance that owns the appliance. Install the same version on all instances.',
  engineSilent: 'The engine of the fleet does not respond (__reason__).',
  noOwner: 'No instance works for appliance "__appliance__" at present.',
  engineAway:
    'The engine of the fleet cannot be reached, so that the command for appliance "__appliance__" was not sent.',
  commandLost:
    'The outcome of the change of appliance "__appliance__" is not known: the instance that works for it, or the engine of the fleet, stopped responding.',
  resultTooLarge:
    'The result is too large to come from another instance: __bytes__ bytes, compressed, and the engine takes __most__. Ask for less, or raise "max_payload" of the NATS server.',
  foreignError: 'An unreadable error came from another instance.',
  changeMade: 'The change was made.',

  // Failovers.
  lastKnown: '__host__ shows only its last known state: its status is "__status__".',
  failoverRole:
    'The user has the role __roles__ on __host__, but a failover requires Operator or Administrator. Use another account in the configuration of the gateway.',
  otherFailover:
    'Another failover already protects route "__route__". A route can only have one: remove the other failover, or choose another route.',
  monitorStopped:
    'Monitor route "__route__" is stopped, so it shows nothing of its source. Start it.',
  switchUnknown:
    'Nothing was switched to __to__: the source in use is not known. The status of the failover says why.',
  switchStopped:
    'Nothing was switched to __to__: the route is stopped. Start the route, then send the message again.',
  switchBusy:
    'Nothing was switched to __to__: a switch is in progress. Send the message again when it has finished.',
  switchHeld:
    'Nothing was switched to __to__: the failover is held. Send the action release first, or set msg.hold to true: it then switches, and stays held.',
  switchChanged: 'The route was changed in the meantime: nothing was switched.',
  switchNoRoute: 'The route is not known: nothing was switched.',
  switchSilent: '__host__ did not respond to the switch within __time__ s.',
  switchNotSent:
    'The switch was not sent within __time__ s: the gateway, or another change of the route, took too long.',
  noFailover: 'This gateway has no such failover node.',

  // The login.
  loginRefused: '__host__ refused the username or the password (HTTP __status__).',
  correctLogin: 'Correct them in the configuration of the gateway, and deploy.',
  loginNotFound: 'Check the URL too: this may be another server.',
  apiInUrl: 'Remove /api from the end of the URL: it is added automatically.',
  pathInUrl: 'The URL has the path __path__: if that is the path of a web page, remove it.',
  noSession: 'The login returned no session.',
  tooManySessions:
    '__host__ has no free session. End sessions that are not needed, or wait until they expire.',
  endsSessions:
    '__host__ ends each new session immediately. Check on the gateway whether the account may log in, and whether other clients end its sessions.',
  losesSessions:
    '__host__ keeps ending sessions soon after their login. Another program may log in with the same account: give each program its own account, or allow the account more sessions.',
  nextLogin: 'Next attempt in __time__ s.',
  noLogin:
    'No further attempt is made, so that the account does not get locked. To try the same credentials again, send "start" to a session node.',

  // What the gateway says.
  failed: '__host__ reported an error (HTTP __status__). It may be starting or overloaded.',
  forbidden:
    'User "__user__" is not allowed to do this on __host__ (HTTP __status__). Use an account with the required role in the configuration of the gateway.',
  missingRole:
    'User "__user__" has the role __roles__ on __host__, but this requires __role__. The request was not sent. Use another account in the configuration of the gateway.',
  conflict: '__host__ reported a conflict and rejected the request (HTTP __status__).',
  checkConflict: 'Usually a name or a port is already in use.',
  tooManyRequests: '__host__ rejected the request because it gets too many (HTTP __status__).',
  rejected: '__host__ rejected the request (HTTP __status__).',
  error: '__host__ responded with an error (HTTP __status__).',
  checkValues: 'It gave no details. Check the values that you sent.',
  says: 'It says: __says__',
  routeNotFound: 'There is no route "__route__" on __host__.',
  routeIdNotFound: 'There is no route with the ID "__id__" on __host__.',
  destinationNotFound: 'There is no destination with the ID "__id__" on __host__.',
  destinationNotInRoute: 'Route "__route__" on __host__ has no destination "__id__".',
  destinationIdNotInRoute: 'Route "__route__" on __host__ has no destination with the ID "__id__".',
  deviceNotFound: 'There is no device with the ID "__id__" on __host__.',

  // Responses that are not as documented.
  notAGateway:
    'The server at __host__ does not respond like a media gateway (__request__). Check the URL and its path.',
  sentPage: '__host__ sent a web page instead of a result (__request__).',
  sentNoResult: '__host__ sent a response that is not a result (__request__).',
  gotNothing: 'The response was empty.',
  gotPage: 'The response was a web page.',
  gotText: 'The response was not JSON.',
  gotDeep: 'The response was nested too deep.',
  gotMany: 'The response had too many values and was not read.',
  redirected:
    '__host__ redirects to __target__ (__request__), which is not followed. Enter the final URL in the configuration of the gateway.',
  redirectedHere:
    '__host__ redirects (__request__), which is not followed. Check the URL and its path.',
  unexpected:
    '__host__ returned an unexpected response (__what__: __came__ instead of __expected__).',
  differs:
    'Its interface differs from what this package knows: please report this with its software version at https://github.com/media-gateway/node-red/issues.',
  noDevice: '__host__ reports no device.',
  severalDevices:
    '__host__ has several devices. Choose one in the Device field, or set msg.deviceId: __devices__.',
  deviceWithoutId: '__host__ reports a device without a usable ID.',
  otherDevice: '__host__ returned another device than the requested one.',
  routeWithoutId: '__host__ lists a route without an ID.',
  otherRoute: '__host__ returned another route than the requested one.',
  incompleteList: '__host__ reports __count__ routes but returned only __listed__.',
  listMoves: 'The list of routes kept changing while its pages were read from __host__.',
  incompleteRoute:
    '__host__ returned the route without its __part__. The change was not sent, so that no part of the route gets lost.',
  notProcessed:
    'The response of __host__ could not be processed (__reason__). Please report this at https://github.com/media-gateway/node-red/issues.',
  secretRepeated:
    '__host__ has written the password of the account, or the ID of the session, into its data. They are not shown for that reason.',

  // Changes.
  readOnly:
    'The gateway __host__ is set to read-only. Nothing was changed. To allow changes, clear "Read-only" in the configuration of the gateway, and deploy.',
  protected: 'Route "__route__" is protected by the configuration of the gateway __host__.',
  confirmProtected: 'To override, set msg.confirmProtected to "__route__".',
  shared:
    'Outputs that would be removed or changed belong to other routes on __host__ too: __outputs__. What happens to them there is not known.',
  confirmShared: 'To do it anyway, set msg.confirmShared to true.',
  mayBeApplied:
    'The change may or may not have been applied: check the gateway before you send it again.',
  notSent: 'The change was not sent.',
  unchanged: 'Nothing was changed.',
  notConfirmed: '__host__ accepted the change, but it was not confirmed within __time__ s.',
  readFirst:
    'Read the route before you send the change again. If __host__ is slow, increase Timeout.',
  listFirst:
    'List the routes before you send it again: a second create makes a second route. If __host__ is slow, increase Timeout.',
  earlierChange:
    '__host__ is still applying an earlier change after __time__ s. The new change was not sent. Wait until the earlier change has finished, then try again.',
  missingDestinations:
    'An earlier update adds __outputs__, and __host__ does not show it yet. The new change was not sent: it could remove that destination. Send the earlier update again, or an update with the whole list of destinations (mode keep or replace).',
  stoppedWaiting: 'The call was stopped while it waited for __host__ to confirm the change.',
  // What was seen last.
  lastNothing: 'No response came.',
  lastPending: 'The change is still pending.',
  lastNoRoute: 'The route does not exist.',
  lastNoDestination: 'The destination does not exist.',
  lastNotRunning: 'It is not running.',
  lastNotStopped: 'It is not stopped.',
  lastRouteNotRunning: 'It is not running; its route is not running either.',
  planOutdated: 'The plan is out of date: __what__.',
  planDiffers: 'This plan does not match the input and the present routes.',
  planUsed: 'This plan was applied already, or is being applied.',
  newPlan: 'Make a new plan.',
  routeChanged: 'Route "__route__" has changed since this was planned.',
  rowNotSent:
    'Nothing was sent for this route, because __host__ did not respond to the routes before it. Send it again when the gateway responds.',
  routeToCreate: 'To create it, add a name and a definition.',
  undoRunning: 'A run is still in progress. Nothing was undone. Wait until it ends.',
  nothingToUndo:
    'There is no run to undo: none has changed anything since the start, or the last one was already undone.',
  notUndone: 'Nothing was undone: __what__.',
  routesSameName:
    '__count__ routes on __host__ have the name "__name__". Choose one by its ID: __ids__.',
  destinationsSameName:
    '__count__ destinations on __host__ have the name "__name__". Choose one by its ID: __ids__.',
  sessionEnded: 'The session on __host__ ended several times before the change was sent.',
  notSettled: 'No change was sent: __host__ did not settle within __time__ s.',
  uncertainRoute: 'It is uncertain whether route "__route__" exists.',
  uncertainAnyRoute: 'It is uncertain whether the route exists.',
  uncertainProtected: 'Routes that are not listed may be protected.',
  checkName: 'Check the name, also its upper and lower case.',
  partWithoutId: '__host__ returned the __what__ without an ID.',
  definitionUnknown:
    'Incomplete route "__name__" from __host__ (without its __part__): its definition is not known.',
  noStatistics: '__host__ returned something other than statistics.',
  noPreset: 'No preset: __host__ returned something else.',
  statisticsNotFound: '__host__ has no statistics of this part of route "__route__".',
  presetNotFound:
    '__host__ has no preset of device "__id__": the device does not exist, or its firmware offers no presets.',
  restartFailed:
    '__route__ is stopped: the restart failed after __attempts__ attempts to start it. Start it again now.',
  restartFailedOne:
    '__route__ is stopped: the restart failed after __attempts__ attempt to start it. Start it again now.',
  restartInDoubt:
    '__route__ may be stopped: the restart failed after __attempts__ attempts to start it. Start it again now.',
  restartInDoubtOne:
    '__route__ may be stopped: the restart failed after __attempts__ attempt to start it. Start it again now.',
  startUnseenStop:
    '__route__ was to be restarted, but __host__ did not show its stop within __time__ s. The start was sent anyway. Check that it is running.',

  // The configuration.
  urlMissing: 'The URL is missing.',
  urlLong: 'The URL has more than 2048 characters.',
  urlInvalid: 'The URL is not valid.',
  urlNoScheme: 'The URL must begin with http:// or https://, such as __suggested__.',
  urlScheme: 'The URL must begin with http:// or https://.',
  urlUser: 'The URL must not contain a username or a password.',
  urlQuery: 'The URL must not contain a query (?) or a fragment (#).',
  fingerprintInvalid: 'The fingerprint must be a SHA-256 fingerprint of 64 hexadecimal digits.',
  protectedRoutesInvalid: 'The protected routes must be a list of name patterns.',
  fingerprintNeedsHttps: 'A fingerprint requires a URL that begins with https://.',
  noUsername: 'The username is missing.',
  noPassword: 'The password is missing.',
  tlsMissing: 'The TLS configuration does not exist, is disabled, or cannot be read.',
  proxyMissing: 'The HTTP proxy does not exist, is disabled, or has no URL.',
  proxyInvalid: 'The URL of the HTTP proxy is not valid.',
  variable:
    '__property__: the environment variable __variable__ is not set. Set it and restart Node-RED, or enter a value.',
  wholeNumber:
    '__property__ is __given__; allowed are whole numbers from __least__ to __most__. Correct this, and deploy.',
  number:
    '__property__ is __given__; allowed are numbers from __least__ to __most__. Correct this, and deploy.',
  secretPrefix:
    '__property__ must be at least two letters, digits or underscores, and begin with a letter or an underscore. Correct this, and deploy.',
  flag: '__property__ is __given__; allowed are true and false. Correct this, and deploy.',
  lines: '__property__ must be text with one entry in each line. Correct this, and deploy.',
  correctNode: 'Correct this, and deploy.',
  engineInvalid:
    'The engine must be an address such as nats://host:4222, or several with the same scheme, separated by commas.',
  engineHasUser:
    'The address of the engine must not contain a username or a password. Enter them in their own fields.',
  engineNoUser: 'The engine has a password but no username.',
  engineCredentials:
    'The engine credentials are neither the text of a .creds file nor the seed of an nkey of a user, which begins with SU.',
  engineTwoAccounts:
    'The engine has credentials and also a username or a password. Give it only one of the two.',
  engineNotTls:
    'The engine has a TLS configuration, but its address does not begin with tls://, so nothing would be encrypted.',
  fleetInvalid: 'The name of the fleet must be 1 to 64 letters, digits, hyphens or underscores.',
  replicasInvalid: 'The number of replicas on the engine must be 1, 3 or 5.',
  correct: 'Correct it in the configuration of the gateway, and deploy.',
  passwordNeeded:
    'The URL, the username, the proxy, the TLS configuration or the fingerprint was changed. Enter the password again: the stored password is sent only with the settings that it was stored for.',
  notDeployed: 'This gateway is not running. Deploy it, or start the flows.',
  gatewayGone:
    'The gateway of this node does not exist or is disabled. If it is disabled, enable it; otherwise choose another one in the node.',
  gatewayNotChosen: 'This node has no gateway. Choose one in the node.',
  noGateways: 'There is no gateway. Add one in any media gateway node, and deploy.',
  notSentOn:
    '__host__ responded, but the message could not be sent on (__reason__). Remove the property of the message that cannot be copied.',

  // The inventory.
  inventorySource: 'The property inventoryType must be none, json, file, env or global.',
  inventoryNotArray:
    'The inventory must be a JSON array of objects, each with a name, or a CSV with a header.',
  inventoryNoHeader:
    'The inventory is no JSON, and no CSV: its first line must name the columns, among them name. An example of a first line is name,baseUrl,fingerprint,username,password.',
  inventoryQuote:
    'The CSV of the inventory has a quotation mark that is not closed: see line __line__.',
  inventoryColumnTwice: 'Two columns of the inventory are called __field__. Rename one of them.',
  inventoryColumn:
    'The inventory has no column __meant__, but one called "__field__". Did you mean __meant__? Rename the column.',
  inventoryNotJson: 'The inventory is not valid JSON.',
  inventoryNotJsonAt: 'The inventory is not valid JSON: see line __line__, column __column__.',
  inventoryTooLarge: 'The list is too large, or nested too deep.',
  inventoryHosts:
    'The property inventoryHosts must be names or addresses of hosts, such as *.example.net, and "__pattern__" is none. Correct this, and deploy.',
  inventoryFile: 'A file cannot be read: __path__ (__reason__).',
  inventoryContext: 'The global context has nothing in "__key__".',
  inventoryStore: 'A value in the global context cannot be read: "__key__" (__reason__).',
  inventoryWaiting: 'The inventory has not been read yet.',
  inventoryKept: 'The previous inventory stays in use.',
  inventoryShrunk:
    'No longer in the inventory: __number__ of __total__ appliances (__names__). They stay in use until the inventory has been unchanged for __minutes__ minutes. If they are meant to go, you can also deploy this config node, or choose Restart Flows in the Deploy menu.',
  inventoryRow: 'Row __row__ of the inventory:',
  inventoryRowNamed: 'Row __row__ of the inventory, "__name__":',
  rowNoObject: 'It is not an object.',
  rowNoName: 'The name is missing.',
  rowLongName: 'The name has more than __most__ characters.',
  rowSameName: 'Row __first__ has the same name.',
  rowSameUrl: 'Row __first__ has the same URL.',
  rowField: 'The field "__field__" is unknown. Did you mean __meant__?',
  rowKept: 'The appliance is used as it was before.',
  rowNotText: 'The field __field__ must be text.',
  rowVariable: 'The environment variable __variable__ is not set (field __field__).',
  rowPlain:
    'The field __field__ must be the name of an environment variable, such as __example__, because flows are exported.',
  rowNoVariable:
    'The field __field__ must not be a variable: in an inventory from a file, the environment or the context, only username and password may be one.',
  rowPrefix:
    'The field __field__ must name a variable that begins with __prefix__, the prefix for secrets.',
  rowHost:
    'The stored password is not sent to __place__. Add this host to the password hosts of the inventory, or give the row its own password.',
  applianceNotFound: 'The inventory has no appliance "__appliance__".',
  didYouMean: 'Did you mean "__name__"?',
  inventorySlow: 'The list could not be read within 10 s: its file or store does not respond.',
  // The list of callers.
  callersSource: 'The property callersType must be none, json, file, env or global.',
  callersNoList:
    'The callers must be a JSON array of objects, each with an address and a name, or a CSV with a header that names these columns.',
  callersRow: 'Row __row__ of the callers:',
  callersAddress:
    'The address of "__name__" must be an address such as 198.51.100.7, or a network such as 198.51.100.0/24.',
  callersExpected: 'The field expected is "__given__"; it must be always, running, or empty.',
  fleetTwice:
    'Two config nodes of this Node-RED are in the fleet "__fleet__" on the same engine. Put all appliances into one inventory, or give each config node a fleet of its own.',
  inventoryDiffers:
    'This inventory has other names or URLs than __instances__. If the instance that works for an appliance does not know it, nothing watches it: give all instances the same inventory.',
  engineMissing: 'The share is a lease, but no engine is given.',
  fleetKeyMissing:
    'The share is a lease, but no fleet key is given. Enter the same one on all instances: a text that cannot be guessed, such as the output of "openssl rand -hex 32".',
  fleetKeyShort:
    'The fleet key has fewer than __length__ characters. Enter the same one on all instances: a text that cannot be guessed, such as the output of "openssl rand -hex 32".',
  engineLost:
    'This instance has no lease (__reason__). Until it has one again, it works for no appliance. Check the NATS server and the network.',
  applianceNeeded:
    'This gateway has an inventory. Name one of its appliances in the Appliance field, or in msg.appliance.',
  applianceElsewhere:
    'This instance does not own appliance "__appliance__". Send the message to its owner.',
  applianceInPart:
    'Appliance "__appliance__" belongs to the part __part__ of the inventory, but this instance has the part __own__. Send the message to the instance with the share __part__.',
  share: 'The property share must be all, lease, or a part of the inventory such as 1/3.',

  // Requests of the editor.
  unusableId: '__id__ cannot be sent as an ID.',
  tooManyDevices:
    'The editor already shows __most__ devices of __host__. Close some of them, and wait a moment.',
  testRunning: 'Another test of __host__ is running. Wait until it ends.',
  testHeld:
    'The last login of this user on __host__ was refused. So that the account does not get locked, the next attempt is possible in __time__ s. Nothing was sent.',
} as const satisfies Record<string, string>

type MarksIn<Words> = Words extends `${string}__${infer Mark}__${infer Rest}`
  ? Mark | MarksIn<Rest>
  : never

/** The marks that are filled where an error is reported, unless they have a value before. */
type Filled = 'host' | 'route' | 'user' | 'request'

/** The values that a sentence needs where it is made. */
type Needed<Key extends SentenceKey> = Exclude<MarksIn<(typeof SENTENCES)[Key]>, Filled>

export const say = <Key extends SentenceKey>(
  key: Key,
  ...[values = NONE]: [Needed<Key>] extends [never]
    ? [values?: Values]
    : [values: Record<Needed<Key>, string | number> & Values]
): Sentence => ({ key, words: SENTENCES[key], values })

/** A sentence that never reaches the editor. */
export const words = (template: string, values: Values = NONE, news?: News): Sentence => ({
  words: template,
  values,
  ...(news && { news }),
})

const NONE: Values = {}

/** What differs for a program in plain Node.js, which has neither nodes nor messages, and no form. */
const FOR_PROGRAMS: Partial<Record<SentenceKey, string>> = {
  correct: 'Correct the options of openGateway.',
  correctNode: 'Correct the settings.',
  correctLogin: 'Correct the options username and password.',
  noLogin:
    'No further attempt is made, so that the account does not get locked. To try the same credentials again, call session.start().',
  loginNotFound: 'Check baseUrl too: this may be another server.',
  stopped: 'The call was stopped before __host__ responded.',
  pin: 'To trust exactly this certificate, give its SHA-256 fingerprint as the option fingerprint.',
  forbidden:
    'User "__user__" is not allowed to do this on __host__ (HTTP __status__). Use an account with the required role.',
  missingRole:
    'User "__user__" has the role __roles__ on __host__, but this requires __role__. The request was not sent. Use another account.',
  failoverRole:
    'The user has the role __roles__ on __host__, but a failover requires Operator or Administrator. Use another account.',
  redirected:
    '__host__ redirects to __target__ (__request__), which is not followed. Give the final URL as baseUrl.',
  severalDevices: '__host__ has several devices. Give one of them as deviceId: __devices__.',
  readOnly:
    'The gateway __host__ was opened with readOnly. Nothing was changed. To allow changes, open it without.',
  protected:
    'Route "__route__" is protected by the option protectedRoutes of the gateway __host__.',
  confirmProtected: 'To override, set the option confirmProtected to "__route__".',
  confirmShared: 'To do it anyway, set the option confirmShared to true.',
  readFirst:
    'Read the route before you send the change again. If __host__ is slow, increase waitTimeout.',
  listFirst:
    'List the routes before you send it again: a second create makes a second route. If __host__ is slow, increase waitTimeout.',
  tryAgainOrWait: 'Try again later, or increase the option timeout.',
  switchHeld:
    'Nothing was switched to __to__: the failover is held. Send the action release first, or set hold to true: it then switches, and stays held.',
}

/** The sentences as a program in plain Node.js gets them. */
export const forPrograms = (sentences: readonly Sentence[]): readonly Sentence[] =>
  sentences.map((sentence) => {
    const own = sentence.key && FOR_PROGRAMS[sentence.key]
    return own === undefined ? sentence : { ...sentence, words: own }
  })

const MARK = /__([a-z]+)__/gi

export const mentions = (sentence: Sentence, mark: string): boolean =>
  sentence.words.includes(`__${mark}__`)

/** What stands for a value that is not known. */
export const UNKNOWN: Values = {
  host: 'the gateway',
  route: 'the route',
  user: 'of the gateway',
  request: 'unknown request',
}

export const textOf = (sentences: readonly Sentence[]): string =>
  sentences.map(inEnglish).filter(Boolean).join(' ')

/** What the forms call a property of a node; the others are called by their names. */
export const LABELS: Readonly<Record<string, string>> = {
  baseUrl: 'URL',
  timeout: 'Request timeout',
  concurrency: 'Max. concurrent requests',
  pollInterval: 'Polling interval',
  waitTimeout: 'Timeout',
  leaseTtl: 'Lease TTL',
}

const labelled = (property: unknown): string => {
  const name = String(property)
  return Object.hasOwn(LABELS, name) ? `${LABELS[name]} (${name})` : name
}

function inEnglish({ words: template, values }: Sentence): string {
  const text = template.replace(MARK, (mark, name: string) =>
    name === 'property' ? labelled(values[name]) : String(values[name] ?? UNKNOWN[name] ?? mark),
  )
  return text.startsWith('the ') ? `T${text.slice(1)}` : text
}

/** The sentences with these values for the marks that have none. */
export const filled = (sentences: readonly Sentence[], values: Values): readonly Sentence[] =>
  sentences.map((sentence) => {
    const { values: own } = sentence
    const wanted = Object.entries(values).filter(
      ([name]) => mentions(sentence, name) && own[name] === undefined,
    )
    if (wanted.length === 0) return sentence
    return { ...sentence, values: Object.assign(Object.fromEntries(wanted), own) }
  })
