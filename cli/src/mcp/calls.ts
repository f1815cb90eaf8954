import { API } from '@countersign/contract/api'
import {
  type AgentCallName,
  type Arguments,
  ConnectionError,
  CountersignError,
  NotDecidedError,
  toJson,
} from '@countersign/sdk'
import type { Agent } from '@countersign/sdk/agent'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { Failure } from '../terminal/failure.ts'
import { pendingSentence, withWords } from './answer-words.ts'
import { callInput, idNames } from './schemas.ts'
import { type Tool, toolInput, WAIT_SECONDS, WAIT_SECONDS_MAX } from './tools.ts'

type Json = Readonly<Record<string, unknown>>

/** Calls a tool as the agent that `connect` gives. A refusal or a failure is a result too, marked as an error. */
export async function callTool(
  connect: () => Promise<Agent>,
  tool: Tool,
  args: Json,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    checkInput(tool, args)
    return resultOf(await run(await connect(), tool, args, signal), false)
  } catch (error) {
    return resultOf(refusalOf(error), true)
  }
}

async function run(agent: Agent, tool: Tool, args: Json, signal: AbortSignal): Promise<unknown> {
  if (tool.waits) return waitForDecision(agent, args, signal)
  const input = { ...callInput(API[tool.call], args), signal }
  const call = [tool.call, input] as unknown as Arguments<AgentCallName>
  const answer: { readonly body?: unknown } = await agent.call(...call)
  return answer.body
}

/** A pending action is an answer, not an error. */
async function waitForDecision(agent: Agent, args: Json, signal: AbortSignal): Promise<unknown> {
  const { actionId, timeoutSeconds = WAIT_SECONDS } = args
  if (typeof timeoutSeconds !== 'number' || !(timeoutSeconds >= 0 && timeoutSeconds <= WAIT_SECONDS_MAX))
    throw invalidInput('timeoutSeconds', `must be a number from 0 to ${WAIT_SECONDS_MAX}`)
  try {
    return await agent.waitForDecision(String(actionId), { timeoutMs: timeoutSeconds * 1000, signal })
  } catch (error) {
    if (error instanceof NotDecidedError) return error.action
    throw error
  }
}

/**
 * Checks what only this side can see: a member that the API does not know, one that is missing, or a number that has
 * lost digits. The API checks everything else and names the wrong member.
 */
function checkInput(tool: Tool, args: Json): void {
  const { properties, required } = toolInput(tool)
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined)
    throw invalidInput(unknown, `is unknown; the members are ${Object.keys(properties).join(', ') || 'none'}`)
  const missing = required.find((name) => args[name] === undefined)
  if (missing !== undefined) throw invalidInput(missing, 'is required')
  for (const [name, value] of Object.entries(args))
    if (hasLostDigits(value)) throw invalidInput(name, `must be at most ${Number.MAX_SAFE_INTEGER}`)
  for (const name of idNames(API[tool.call]))
    if (typeof args[name] !== 'string' || /^\.{0,2}$/.test(args[name]))
      throw invalidInput(name, 'must be an id')
}

function hasLostDigits(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLostDigits)
}

function invalidInput(field: string, what: string): CountersignError {
  return new CountersignError({
    status: 400,
    code: 'INVALID_INPUT',
    message: `${field} ${what}`,
    details: { field },
  })
}

/** A refusal as the API gives it. A failure without an answer of the API has its own code. */
function refusalOf(error: unknown): Json {
  if (error instanceof CountersignError) {
    const { status, code, message, reason, details, requestId, retryAfterSeconds } = error
    return { status, code, message, reason, details, requestId, retryAfterSeconds }
  }
  if (error instanceof ConnectionError) {
    const { idempotencyKey } = error
    const message = `${error.message} The call may still have been executed: repeat it with the idempotencyKey.`
    return {
      code: 'NO_ANSWER',
      message: idempotencyKey === undefined ? error.message : message,
      details: { idempotencyKey },
    }
  }
  if (error instanceof Failure) return { code: 'NOT_CONNECTED', message: error.message, details: {} }
  throw error
}

/**
 * The text has every digit. Structured content holds doubles, so an integer beyond 2^53 is text there. An action that waits is
 * said to wait before anything else.
 */
function resultOf(value: unknown, isError: boolean): CallToolResult {
  const answer = withWords(value)
  const sentence = pendingSentence(value)
  return {
    content: [...(sentence === undefined ? [] : [textOf(sentence)]), textOf(toJson(answer))],
    structuredContent: exact(answer) as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  }
}

const textOf = (text: string) => ({ type: 'text', text }) as const

function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, exact(member)]))
}
