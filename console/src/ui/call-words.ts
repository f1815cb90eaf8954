import { isKeyOf } from '@countersign/contract/core/objects'
import { SUMMARIES } from '../generated/summaries.ts'
import { wordsOf } from './status-meaning.ts'

/** A call of the API in words: `Create a customer`. */
export function callWords(operation: string): string {
  return isKeyOf(SUMMARIES, operation) ? SUMMARIES[operation] : wordsOf(operation.toUpperCase())
}
