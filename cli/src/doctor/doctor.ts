import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { API_VERSION } from '@countersign/contract/core/api-version'
import { keysOf } from '@countersign/contract/core/objects'
import { WATCH_NAMES, WATCHES } from '@countersign/contract/operation/watches'
import { ConnectionError, Countersign, CountersignError, type ResultOf, toJson } from '@countersign/sdk'
import pc from 'picocolors'
import { hasServerProgram } from '../connection/server-program.ts'
import { findCredentials, type ShellOptions } from '../connection/shell.ts'
import { IS_CLONE } from '../terminal/clone.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { endSentence, getErrorMessage } from '../terminal/thrown.ts'

type State = 'OK' | 'LOOK' | 'WRONG'

/** One line of the report. `advice` says how to fix the problem. */
interface Finding {
  readonly about: string
  readonly state: State
  readonly detail: string
  readonly advice?: string
}

const TIMEOUT_MS = 10_000
/**
 * Webhook receivers reject timestamps that are five minutes off. Half a minute already suggests an
 * unsynchronized clock.
 */
const SKEW_SECONDS_LOOK = 30
const SKEW_SECONDS_WRONG = 300
const GIB = 2 ** 30
const MARKS: Readonly<Record<State, string>> = {
  OK: pc.green('ok'),
  LOOK: pc.yellow('look'),
  WRONG: pc.red('wrong'),
}

/** `countersign doctor`: returns the exit code, which is 1 if any check failed. */
export async function runDoctor(options: ShellOptions): Promise<number> {
  const findings: Finding[] = []
  try {
    const credentials = await findCredentials(options)
    findings.push({ about: 'credentials', state: 'OK', detail: credentials.tokenId })
    findings.push(...(await checkServer(credentials.baseUrl)))
    if (findings.every(({ about, state }) => about !== 'server' || state === 'OK'))
      findings.push(...(await checkPlatform(new Countersign(credentials))))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const advice = 'Start a server, or pass --credentials FILE'
    findings.push({ about: 'credentials', state: 'WRONG', detail: error.message, advice })
  }
  if (hasServerProgram()) findings.push(...(await checkHost()))
  for (const finding of findings) io().stdout.write(`${options.json ? toJson(finding) : describe(finding)}\n`)
  return findings.some(({ state }) => state === 'WRONG') ? 1 : 0
}

function describe({ about, state, detail, advice }: Finding): string {
  const mark = MARKS[state] + ' '.repeat('WRONG'.length - state.length)
  return `${mark}  ${about.padEnd(13)}${advice === undefined ? detail : `${endSentence(detail)} ${advice}.`}`
}

async function checkServer(baseUrl: string): Promise<Finding[]> {
  const url = new URL('/readyz', baseUrl)
  let response: Response
  const startedMs = Date.now()
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.body?.cancel()
  } catch (error) {
    const detail = `${url.origin} cannot be reached: ${getErrorMessage(error)}`
    return [
      {
        about: 'server',
        state: 'WRONG',
        detail,
        advice: `Start the server${IS_CLONE ? ' (npm start)' : ''} or check --base-url`,
      },
    ]
  }
  const hasVersion = new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(`/${API_VERSION}`)
  return [
    response.ok
      ? { about: 'server', state: 'OK', detail: `${url.origin} is ready` }
      : {
          about: 'server',
          state: 'WRONG',
          detail: `${url.origin} is not ready (${response.status})`,
          advice: 'Check its log and its database',
        },
    hasVersion
      ? { about: 'version', state: 'OK', detail: API_VERSION }
      : {
          about: 'version',
          state: 'WRONG',
          detail: `The base address is ${baseUrl}`,
          advice: `It must end with /${API_VERSION}`,
        },
    checkClock(response.headers.get('date'), (startedMs + Date.now()) / 2),
  ]
}

/** Estimates the clock difference. The Date header has a resolution of one second. */
function checkClock(date: string | null, nowMs: number): Finding {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs))
    return { about: 'clock', state: 'LOOK', detail: 'The server does not report its time' }
  const seconds = Math.round(Math.abs(serverMs + 500 - nowMs) / 1000)
  const detail = `${seconds} s between this machine and the server`
  if (seconds < SKEW_SECONDS_LOOK) return { about: 'clock', state: 'OK', detail }
  const state = seconds < SKEW_SECONDS_WRONG ? 'LOOK' : 'WRONG'
  return { about: 'clock', state, detail, advice: 'Synchronize both clocks with NTP' }
}

async function checkPlatform(countersign: Countersign): Promise<Finding[]> {
  try {
    const overview = await countersign.overview.get()
    return [
      { about: 'token', state: 'OK', detail: 'is accepted' },
      checkWebhooks(overview),
      ...(await countersign.webhookEndpoints.list()).data.map(checkEndpoint),
      ...checkRails(overview),
      ...checkWatches(overview),
      ...checkPendingWork(overview),
    ]
  } catch (error) {
    if (!(error instanceof CountersignError || error instanceof ConnectionError)) throw error
    const advice = 'Use a valid token with the permission VIEW: countersign token create'
    return [{ about: 'token', state: 'WRONG', detail: error.message, advice }]
  }
}

type Overview = ResultOf<'overview_get'>

function checkWebhooks({ webhooks: { endpoint, pending, failed, disabledReason } }: Overview): Finding {
  const about = 'webhooks'
  if (endpoint === undefined)
    return {
      about,
      state: 'LOOK',
      detail: 'No webhookEndpoint is set',
      advice: 'Set one with PATCH /config, or use countersign listen',
    }
  if (disabledReason !== undefined)
    return {
      about,
      state: 'WRONG',
      detail: `${endpoint} is disabled (${disabledReason})`,
      advice: `Fix the receiver, then countersign api PATCH /config --data '{"webhookEndpoint": "${endpoint}"}'`,
    }
  const detail = `${endpoint}: ${pending} pending, ${failed} given up in the last seven days`
  if (failed === 0) return { about, state: 'OK', detail }
  const advice = 'Fix the receiver, then countersign events replay --from TIME'
  return { about, state: 'WRONG', detail, advice }
}

type AddedEndpoint = ResultOf<'webhook_endpoint_get'>

function checkEndpoint({ id, url, status, disabledReason, health }: AddedEndpoint): Finding {
  const { retrying, failed, failingSince, oldestUndeliveredAt, lastFailure = 'none' } = health
  const oldest = oldestUndeliveredAt === undefined ? '' : `, the oldest of ${oldestUndeliveredAt}`
  const detail = `${url}: ${retrying} waiting for a retry${oldest}, ${failed} given up, last failure ${lastFailure}`
  const about = 'webhooks'
  const enable = `countersign api PATCH /webhook-endpoints/${id} --data '{"status": "ENABLED"}'`
  if (status === 'DISABLED')
    return {
      about,
      state: 'WRONG',
      detail: `${url} is disabled (${disabledReason})`,
      advice: `Fix the receiver, then ${enable}`,
    }
  if (status === 'PAUSED') return { about, state: 'LOOK', detail: `${url} is paused`, advice: enable }
  if (failingSince === undefined && failed === 0) return { about, state: 'OK', detail }
  const advice = `Fix the receiver; see countersign api GET /webhook-endpoints/${id}/failures`
  return { about, state: failed > 0 ? 'WRONG' : 'LOOK', detail, advice }
}

function checkRails({ rails }: Overview): Finding[] {
  return rails.map(({ name, kind, isAvailable, detail = 'accepts no payments now' }) =>
    isAvailable
      ? { about: 'rail', state: 'OK', detail: `${name} (${kind}) accepts payments` }
      : {
          about: 'rail',
          state: 'LOOK',
          detail: `${name} (${kind}): ${detail}`,
          advice: `countersign rails check --rail ${name}`,
        },
  )
}

/** One line for each watch within its limits, and one for each value that is not. */
function checkWatches({ watches }: Overview): Finding[] {
  return WATCH_NAMES.flatMap((name): Finding[] => {
    const readings = watches.filter(({ watch }) => watch === name)
    const overLimit = readings.filter(({ isCrossed }) => isCrossed)
    const { title, alertsIf, advice } = WATCHES[name]
    if (readings.length === 0) return []
    if (overLimit.length === 0)
      return [{ about: 'watch', state: 'OK', detail: `${title}: ${readings.length} within the limit` }]
    return overLimit.map(({ subject, value, limit, unit }) => ({
      about: 'watch',
      state: 'LOOK',
      detail: `${title}: ${subject} has ${value} ${unit}, ${alertsIf} the limit of ${limit} ${unit}`,
      advice,
    }))
  })
}

function checkPendingWork({ waiting }: Overview): Finding[] {
  const labels: Readonly<Record<keyof Overview['waiting'], string>> = {
    approvals: 'approvals',
    verifications: 'verifications',
    screenings: 'screening hits',
    deposits: 'deposits in suspense',
    railEvents: 'unattributed rail reports',
    reconciliations: 'unreconciled days',
  }
  const open = keysOf(labels).filter((name) => waiting[name] > 0)
  if (open.length === 0) return [{ about: 'waiting', state: 'OK', detail: 'No pending work' }]
  const detail = open.map((name) => `${waiting[name]} ${labels[name]}`).join(', ')
  return [
    { about: 'waiting', state: 'LOOK', detail, advice: 'Review them in the console: countersign console' },
  ]
}

/**
 * Checks the data directory and settings on this machine. Only useful if the server program is installed
 * here.
 */
async function checkHost(): Promise<Finding[]> {
  const { COUNTERSIGN_DATA_DIR, COUNTERSIGN_MODE, DATABASE_SCHEMA, DATABASE_URL } = io().env
  const folder = resolve(COUNTERSIGN_DATA_DIR || '.countersign')
  const database = DATABASE_URL
    ? `PostgreSQL (schema ${DATABASE_SCHEMA || 'public'})`
    : 'the embedded database'
  const settings: Finding = {
    about: 'settings',
    state: 'OK',
    detail: `${COUNTERSIGN_MODE || 'sandbox'} mode with ${database}, in this shell`,
  }
  if (!existsSync(folder))
    return [
      settings,
      {
        about: 'data',
        state: 'LOOK',
        detail: `${folder} does not exist`,
        advice: 'The first start creates it; or set COUNTERSIGN_DATA_DIR',
      },
    ]
  const { bavail, bsize } = await statfs(folder)
  const free = (bavail * bsize) / GIB
  const detail = `${folder} has ${free.toFixed(1)} GiB free`
  const advice = 'Free disk space before the database stops'
  if (free >= 5) return [settings, { about: 'data', state: 'OK', detail }]
  return [settings, { about: 'data', state: free >= 1 ? 'LOOK' : 'WRONG', detail, advice }]
}
