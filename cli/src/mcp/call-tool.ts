import { API } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import { type AnyCaller, ConnectionError, CountersignError, NotDecidedError, toJson } from '@countersign/sdk'
import type { Agent } from '@countersign/sdk/agent'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { Failure } from '../terminal/failure.ts'
import { addWords, describePendingAction } from './answer-words.ts'
import { listPathParameters, removeNulls, toCallInput } from './input-schemas.ts'
import { listToolFields, type Tool, WAIT_SECONDS, WAIT_SECONDS_MAX } from './tools.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Calls a tool as the agent that `connect` returns. Errors are also results, marked with `isError`. They
 * contain only text: some clients treat any structured content as a success, and then throw.
 */
export async function callTool(
  connect: () => Promise<Agent>,
  tool: Tool,
  input: Json,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const args = checkInput(tool, input)
    return toResult(await run(await connect(), tool, args, signal))
  } catch (error) {
    return { content: [toTextContent(toJson(addWords(toErrorBody(error))))], isError: true }
  }
}

async function run(agent: Agent, tool: Tool, args: Json, signal: AbortSignal): Promise<unknown> {
  if (tool.waits) return waitForDecision(agent, args, signal)
  const input = { ...toCallInput(API[tool.call], args), signal }
  const caller: AnyCaller = agent
  return (await caller.call(tool.call, input)).body
}

/** Waits for a decision. An action still pending at the timeout is a normal result. */
async function waitForDecision(agent: Agent, args: Json, signal: AbortSignal): Promise<unknown> {
  const { actionId, timeoutSeconds = WAIT_SECONDS } = args
  if (typeof timeoutSeconds !== 'number' || !(timeoutSeconds >= 0 && timeoutSeconds <= WAIT_SECONDS_MAX))
    throw buildInvalidInput('timeoutSeconds', `must be a number from 0 to ${WAIT_SECONDS_MAX}`)
  try {
    return await agent.waitForDecision(String(actionId), { timeoutMs: timeoutSeconds * 1000, signal })
  } catch (error) {
    if (error instanceof NotDecidedError) return error.action
    throw error
  }
}

/**
 * Rejects errors that the API would not see: unknown fields, missing fields, and numbers that have
 * lost digits. The API validates everything else. Returns the input without nulls.
 */
function checkInput(tool: Tool, input: Json): Json {
  const members = listToolFields(tool)
  const names = members.map(({ name }) => name)
  const unknownName = Object.keys(input).find((name) => !names.includes(name))
  if (unknownName !== undefined)
    throw buildInvalidInput(unknownName, `is unknown; the fields are ${names.join(', ') || 'none'}`)
  const args = removeNulls(input)
  const missing = members.find(({ name, isOptional }) => !isOptional && args[name] === undefined)
  if (missing) throw buildInvalidInput(missing.name, 'is required')
  for (const [name, value] of Object.entries(args))
    if (hasLostDigits(value)) throw buildInvalidInput(name, `must be at most ${Number.MAX_SAFE_INTEGER}`)
  for (const name of listPathParameters(API[tool.call]))
    if (typeof args[name] !== 'string' || /^\.{0,2}$/.test(args[name]))
      throw buildInvalidInput(name, 'must be an id')
  return args
}

function hasLostDigits(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLostDigits)
}

function buildInvalidInput(field: string, problem: string): CountersignError {
  return new CountersignError({
    status: 400,
    code: 'INVALID_INPUT',
    message: `${field} ${problem}`,
    details: { field },
  })
}

/** Advice for an unknown token or device code, which only a person can replace. */
const RECONNECT_ADVICE = 'Ask the user for a new device code of this agent.'

/** Converts an error to the API's error body. If there was no API response, the code says so. */
function toErrorBody(error: unknown): Json {
  if (error instanceof CountersignError) {
    const { status, code, reason, details, httpRequestId, retryAfterSeconds } = error
    const isUnknown = error.isCredentials || code === 'DEVICE_CODE_NOT_FOUND'
    const message = isUnknown ? `${error.message} ${RECONNECT_ADVICE}` : error.message
    return { status, code, message, reason, details, httpRequestId, retryAfterSeconds }
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
 * Converts a response to a tool result, with the sentence about a pending action first. The text contains
 * every digit. Structured content consists of doubles, so integers beyond 2^53 become strings in it.
 */
function toResult(value: unknown): CallToolResult {
  const response = addWords(value)
  const sentence = describePendingAction(value)
  const structured = toExactJson(response)
  return {
    content: [...(sentence === undefined ? [] : [toTextContent(sentence)]), toTextContent(toJson(response))],
    ...(isObject(structured) ? { structuredContent: structured } : {}),
  }
}

const toTextContent = (text: string) => ({ type: 'text', text }) as const

function toExactJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Array.isArray(value)) return value.map(toExactJson)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, toExactJson(member)]))
}
