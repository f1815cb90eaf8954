import { isUtf8 } from 'node:buffer'
import { BODY_MEMBERS_MAX_DEFAULT } from '@countersign/contract/core/endpoint'
import { getErrorMessage } from '../../../base/formats/thrown-errors.ts'
import { JsonLimitError, readJson } from '../../../base/json/json-reader.ts'
import { type ApiError, createFieldError } from '../../../kernel/operation/operation.ts'

const DEPTH_MAX = 64

/**
 * Parses a JSON request body; undefined without a body. Throws 400 `INVALID_INPUT` if it is not valid UTF-8
 * or JSON, is nested too deeply, has too many properties and array items, or has a property that would change
 * a prototype.
 */
export function parseBody(bytes: Buffer | undefined, valuesMax = BODY_MEMBERS_MAX_DEFAULT): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw createBodyRefusal('is not valid UTF-8')
  try {
    return readJson(bytes.toString('utf8'), { depthMax: DEPTH_MAX, valuesMax })
  } catch (error) {
    const message = getErrorMessage(error)
    throw createBodyRefusal(error instanceof JsonLimitError ? message : `is not valid JSON: ${message}`)
  }
}

function createBodyRefusal(problem: string): ApiError {
  return createFieldError('INVALID_INPUT', 'body', `The body ${problem}.`)
}
