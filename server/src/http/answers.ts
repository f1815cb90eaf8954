import type { Endpoint } from '@countersign/contract/core/endpoint'
import { parseJson, toJson } from '../json/json.ts'
import type { ApiError } from '../op/operation.ts'
import type { Answer } from './call.ts'
import { encodeError } from './errors.ts'
import { validator } from './validate.ts'

const NO_HEADERS = {}

/** Encodes the answer of a handler; one without a body is empty. */
export function encode({ status, body }: { readonly status: number; readonly body?: unknown }): Answer {
  return { status, headers: NO_HEADERS, body: body === undefined ? '' : toJson(body) }
}

/** Encodes a refusal. */
export function encodeRefusal(refusal: ApiError): Answer {
  const { status, headers, body } = encodeError(refusal)
  return { status, headers, body: toJson(body) }
}

export type AnswerCheck = (outcome: { readonly status: number; readonly body?: unknown }) => void

/** Checks answers against the contract, in tests all of them. Throws where one does not match. */
export function createAnswerCheck({ method, path, responses }: Endpoint): AnswerCheck {
  const checks = new Map(
    Object.entries(responses).map(([status, schema]) => [
      Number(status),
      schema ? validator(schema, 'answer') : null,
    ]),
  )
  return ({ status, body }) => {
    const check = checks.get(status)
    if (check === undefined) throw new Error(`${method} ${path} does not declare status ${status}`)
    try {
      check?.(parseJson(toJson(body)))
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      throw new Error(`${method} ${path} answered outside its schema: ${what}`)
    }
  }
}
