import { isKeyOf } from '@countersign/contract/core/objects'
import { SUMMARIES } from '../generated/summaries.ts'
import { formatConstant } from './status-meaning.ts'

/** Describes an API call: `Create a customer`. */
export function describeCall(operation: string): string {
  return isKeyOf(SUMMARIES, operation) ? SUMMARIES[operation] : formatConstant(operation.toUpperCase())
}
