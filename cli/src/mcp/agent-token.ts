import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { CountersignError, waitUntil } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { checkBaseUrl } from '../connection/credentials.ts'
import { wireWord } from '../connection/wire-word.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { isMissing, messageOf } from '../terminal/thrown.ts'

/** The options and environment variables that identify the agent. */
export interface McpOptions {
  readonly baseUrl?: string
  readonly code?: string
  readonly token?: string
  readonly tokenFile?: string
}

/** The time that another process may take to store the token of a redeemed code. */
const OTHER_WRITES_MS = 1_000

export const BASE_URL = 'http://127.0.0.1:8787/2025-10-13'

/** The content of the token file. The hash of the code shows if another code is given now. */
interface Kept {
  readonly baseUrl: string
  readonly accessToken: string
  readonly codeHash: string
}

/**
 * Connects the agent of the options: by its token, by the token stored when the code was redeemed, or by
 * redeeming the code, whose token is then stored in a file that only this user can read. Redeems nothing
 * before the result is called. Throws Failure if the options name no agent.
 */
export async function findAgent(options: McpOptions): Promise<() => Promise<Agent>> {
  const { token, code } = options
  const baseUrl = options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl)
  if (token !== undefined) {
    const agent = Agent.withToken({ baseUrl: baseUrl ?? BASE_URL, accessToken: token, ...wireWord() })
    return async () => agent
  }
  const file = resolve(
    options.tokenFile ?? join(io().env.COUNTERSIGN_DATA_DIR || '.countersign', 'agent.json'),
  )
  const codeHash = code === undefined ? undefined : hashOf(code)
  const storedAgent = await loadStoredAgent(file, codeHash, baseUrl)
  if (storedAgent) return async () => storedAgent
  if (code === undefined || codeHash === undefined)
    throw new Failure(
      `${nameOf(file)} has no agent token. Give a device code from "countersign agent code" as --code or ` +
        'COUNTERSIGN_DEVICE_CODE, or a token as COUNTERSIGN_AGENT_TOKEN.',
    )
  return async () => {
    try {
      return await redeem(file, code, baseUrl ?? BASE_URL)
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'DEVICE_CODE_NOT_FOUND') throw error
      // Another process with the same code may have redeemed it and be about to write the file.
      const look = () => loadStoredAgent(file, codeHash, baseUrl)
      const { last } = await waitUntil(look, (found) => found !== undefined, { timeoutMs: OTHER_WRITES_MS })
      if (last) return last
      throw error
    }
  }
}

async function redeem(file: string, code: string, baseUrl: string): Promise<Agent> {
  return writingPrivately(file, async (write) => {
    const agent = await Agent.redeem({ baseUrl, code, ...wireWord() })
    const content: Kept = { baseUrl, accessToken: agent.accessToken, codeHash: hashOf(code) }
    await write(`${JSON.stringify(content)}\n`)
    return agent
  })
}

/** The agent of the file, unless another code is given now. A token is sent to its own server only. */
async function loadStoredAgent(
  file: string,
  codeHash: string | undefined,
  baseUrl: string | undefined,
): Promise<Agent | undefined> {
  const storedAgent = await readKept(file)
  if (!storedAgent || (codeHash !== undefined && storedAgent.codeHash !== codeHash)) return undefined
  if (baseUrl !== undefined && baseUrl !== storedAgent.baseUrl)
    throw new Failure(
      `${nameOf(file)} belongs to ${storedAgent.baseUrl}, not to ${baseUrl}: give another --token-file.`,
    )
  return Agent.withToken({ ...storedAgent, ...wireWord() })
}

async function readKept(file: string): Promise<Kept | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new Failure(`${nameOf(file)} cannot be read: ${messageOf(error)}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isKept(value)) return value
  } catch {
    // Reported below.
  }
  throw new Failure(`${nameOf(file)} is not a token file: it lacks baseUrl, accessToken, codeHash.`)
}

function isKept(value: unknown): value is Kept {
  return (
    isObject(value) && ['baseUrl', 'accessToken', 'codeHash'].every((name) => typeof value[name] === 'string')
  )
}

/**
 * Writes a file that only this user can read (0600), whole or not at all. Opens it before `work` begins, so
 * that a folder without write access does not lose a token issued only once.
 */
async function writingPrivately<T>(
  file: string,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const part = `${file}.${randomBytes(6).toString('hex')}.part`
  const handle = await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    .then(() => open(part, 'wx', 0o600))
    .catch((error: Error) => {
      throw new Failure(`${nameOf(file)} cannot be written: ${error.message}`)
    })
  try {
    const result = await work(async (text) => {
      await handle.writeFile(text)
      await handle.sync()
    })
    await rename(part, file)
    return result
  } finally {
    await handle.close()
    await rm(part, { force: true })
  }
}

/** Ignores case and hyphens of a code. */
function hashOf(code: string): string {
  return createHash('sha256').update(code.replaceAll('-', '').toUpperCase()).digest('hex')
}

function nameOf(file: string): string {
  const near = relative('.', file)
  return near.startsWith('..') ? file : near
}
