import { after, type Connection, drive, openConnections } from './connections.ts'
import { type Figure, measure, oneCore, type Target } from './measure.ts'
import { Api, bodyOf, settleAll } from './payments.ts'
import { newPlace, type RunningProcess, readCredentials, startServer } from './server-process.ts'
import { sessionKeysPerSecond } from './session-keys.ts'
import {
  type Customer,
  hidingRetry,
  makeCustomers,
  oauthVerify,
  passkeyVerify,
  paymentRetry,
} from './sign-in-customers.ts'
import { noSignInFigures, printSignIn, type SignInFigures, type SignInOptions } from './sign-in-report.ts'
import { verificationsPerSecond } from './verifications.ts'

const CONNECTIONS = 32
const WARM_UP_SECONDS = 1
/** An identity token may be a minute old. */
const TOKEN_SECONDS_MAX = 30

/** Each connection has its own customer: a passkey's counter only grows, so its assertions are sequential. */
interface Lane {
  readonly customer: Customer
  readonly ready: string[]
}
type Lanes = ReadonlyMap<Connection, Lane>

/** Measures calls that a customer waits for beside raw verifications, in interleaved rounds. Prints a table. */
export async function runSignIn(options: SignInOptions): Promise<void> {
  const place = await newPlace(options.database)
  let server: RunningProcess | undefined
  try {
    const started = await startServer(place)
    server = started.server
    const credentials = readCredentials(place, started.baseUrl)
    const { port, pathname } = new URL(started.baseUrl)
    const api = new Api(pathname, `${credentials.tokenId}:${credentials.clientSecret}`)
    const customers = await makeCustomers(credentials, CONNECTIONS)
    const connections = await openConnections(Number(port), CONNECTIONS)
    const target = { pid: server.pid, connections }
    const lanes = new Map(connections.map((one, n) => [one, { customer: customers[n]!, ready: [] }]))

    await round(api, target, lanes, WARM_UP_SECONDS, noSignInFigures())
    const figures = noSignInFigures()
    for (let n = 0; n < options.rounds; n++) await round(api, target, lanes, options.seconds, figures)
    for (const connection of connections) connection.close()
    printSignIn(figures, options, CONNECTIONS)
  } finally {
    await server?.stop()
    await place.remove()
  }
}

/** Runs each part once, in sequence, with its requests prepared beforehand. */
async function round(
  api: Api,
  target: Target,
  lanes: Lanes,
  seconds: number,
  figures: SignInFigures,
): Promise<void> {
  figures.verify.push(oneCore(verificationsPerSecond(Math.min(1, seconds))))
  figures.sessionKey.push(oneCore(sessionKeysPerSecond(Math.min(1, seconds))))

  const prepare = (make: typeof passkeyVerify) =>
    fill(target, lanes, after(seconds), (connection, { customer }) => make(api, connection, customer))

  await prepare(passkeyVerify)
  const lengths = [...lanes.values()].map(({ ready }) => ready.length)
  figures.passkey.push(await drain(target, lanes, seconds))

  // These do not use the server: as many connections as for the others.
  const isEnough = () => [...lanes.values()].every(({ ready }, n) => ready.length >= lengths[n]!)
  await fill(target, lanes, isEnough, (_, { customer }) => oauthVerify(api, customer))
  figures.oauth.push(await drain(target, lanes, Math.min(seconds, TOKEN_SECONDS_MAX)))

  await prepare(hidingRetry)
  figures.hiding.push(await drain(target, lanes, seconds))

  await prepare(paymentRetry)
  figures.payment.push(await drain(target, lanes, seconds))
  await settleAll(api, target.connections[0]!)
}

/** Prepares requests on every connection until the time is over. */
async function fill(
  { connections }: Target,
  lanes: Lanes,
  isOver: () => boolean,
  prepare: (connection: Connection, lane: Lane) => Promise<string>,
): Promise<void> {
  await drive(connections, isOver, async (connection) => {
    const lane = lanes.get(connection)!
    lane.ready.push(await prepare(connection, lane))
    return true
  })
}

/** Sends the prepared requests until the time is over or a connection has no more, so that all are busy throughout. */
async function drain(target: Target, lanes: Lanes, seconds: number): Promise<Figure> {
  const isTimeOver = after(seconds)
  let isDry = false
  const figure = await measure(
    target,
    () => isDry || isTimeOver(),
    async (connection) => {
      const request = lanes.get(connection)!.ready.shift()
      if (request === undefined) isDry = true
      else await bodyOf(connection.send(request), 200)
      return request !== undefined
    },
  )
  for (const { ready } of lanes.values()) ready.length = 0
  return figure
}
