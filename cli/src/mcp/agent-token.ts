import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { CountersignError, waitUntil } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { checkBaseUrl } from '../connection/credentials.ts'
import { readWireWord } from '../connection/wire-word.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorSentence, isMissing } from '../terminal/thrown.ts'

/** The options and environment variables that identify an agent. */
export interface McpOptions {
  readonly baseUrl?: string
  readonly code?: string
  readonly token?: string
  readonly tokenFile?: string
}

/** The timeout for another process to store the token of a code that it has redeemed. */
const OTHER_WRITES_MS = 1_000

export const BASE_URL = 'http://127.0.0.1:8787/2025-10-13'

/**
 * The content of the token file. The hash of the code reveals whether a different code was given this time.
 */
interface StoredToken {
  readonly baseUrl: string
  readonly accessToken: string
  readonly codeHash: string
}

/**
 * Prepares to connect as the agent that the options identify: by a token, by the stored token of an earlier
 * redeemed code, or by redeeming a code and storing its token in a file readable only by this user. Nothing
 * is redeemed until the returned function is called. Throws Failure if the options identify no agent.
 */
export async function findAgent(options: McpOptions): Promise<() => Promise<Agent>> {
  const { token, code } = options
  const baseUrl = options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl)
  if (token !== undefined) {
    const agent = Agent.withToken({ baseUrl: baseUrl ?? BASE_URL, accessToken: token, ...readWireWord() })
    return async () => agent
  }
  const file = resolve(
    options.tokenFile ?? join(io().env.COUNTERSIGN_DATA_DIR || '.countersign', 'agent.json'),
  )
  const codeHash = code === undefined ? undefined : hashCode(code)
  const storedAgent = await loadStoredAgent(file, codeHash, baseUrl)
  if (storedAgent) return async () => storedAgent
  if (code === undefined || codeHash === undefined)
    throw new Failure(
      `${formatPath(file)} has no agent token. Pass a device code from "countersign agent code" as --code or ` +
        'COUNTERSIGN_DEVICE_CODE, or a token as COUNTERSIGN_AGENT_TOKEN.',
    )
  return async () => {
    try {
      return await redeem(file, code, baseUrl ?? BASE_URL)
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'DEVICE_CODE_NOT_FOUND') throw error
      // Another process may have redeemed the same code and be about to write the file.
      const findStored = () => loadStoredAgent(file, codeHash, baseUrl)
      const { last } = await waitUntil(findStored, (stored) => stored !== undefined, {
        timeoutMs: OTHER_WRITES_MS,
      })
      if (last) return last
      throw error
    }
  }
}

async function redeem(file: string, code: string, baseUrl: string): Promise<Agent> {
  return writePrivateFile(file, async (write) => {
    const agent = await Agent.redeem({ baseUrl, code, ...readWireWord() })
    const content: StoredToken = { baseUrl, accessToken: agent.accessToken, codeHash: hashCode(code) }
    await write(`${JSON.stringify(content)}\n`)
    return agent
  })
}

/**
 * Loads the agent from the token file, unless a different code was given. A token is only sent to the server
 * that issued it.
 */
async function loadStoredAgent(
  file: string,
  codeHash: string | undefined,
  baseUrl: string | undefined,
): Promise<Agent | undefined> {
  const storedAgent = await readTokenFile(file)
  if (!storedAgent || (codeHash !== undefined && storedAgent.codeHash !== codeHash)) return undefined
  if (baseUrl !== undefined && baseUrl !== storedAgent.baseUrl)
    throw new Failure(
      `${formatPath(file)} belongs to ${storedAgent.baseUrl}, not to ${baseUrl}: use another --token-file.`,
    )
  return Agent.withToken({ ...storedAgent, ...readWireWord() })
}

async function readTokenFile(file: string): Promise<StoredToken | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new Failure(`Cannot read ${formatPath(file)}: ${getErrorSentence(error)}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isStoredToken(value)) return value
  } catch {
    // Invalid JSON is reported below.
  }
  throw new Failure(`${formatPath(file)} is not a token file: it lacks baseUrl, accessToken, codeHash.`)
}

function isStoredToken(value: unknown): value is StoredToken {
  return (
    isObject(value) && ['baseUrl', 'accessToken', 'codeHash'].every((name) => typeof value[name] === 'string')
  )
}

/**
 * Writes a file atomically, readable only by this user (0600). Opens the file before calling `work`, so that
 * an unwritable folder cannot cause the loss of a token that is issued only once.
 */
async function writePrivateFile<T>(
  file: string,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}.part`
  const handle = await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    .then(() => open(temporaryFile, 'wx', 0o600))
    .catch((error: Error) => {
      throw new Failure(`Cannot write ${formatPath(file)}: ${error.message}.`)
    })
  try {
    const result = await work(async (text) => {
      await handle.writeFile(text)
      await handle.sync()
    })
    await rename(temporaryFile, file)
    return result
  } finally {
    await handle.close()
    await rm(temporaryFile, { force: true })
  }
}

/** Hashes a code, ignoring case and hyphens. */
function hashCode(code: string): string {
  return createHash('sha256').update(code.replaceAll('-', '').toUpperCase()).digest('hex')
}

function formatPath(file: string): string {
  const near = relative('.', file)
  return near.startsWith('..') ? file : near
}
