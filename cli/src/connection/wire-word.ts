import { isWireWord, WIRE_WORD_IN_WORDS } from '@countersign/contract/core/wire-word'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'

/**
 * The brand word used on the wire, from the same environment variable that the server reads. Empty if it is
 * not set. Throws Failure.
 */
export function readWireWord(): { readonly wireWord?: string } {
  const word = io().env.COUNTERSIGN_WIRE_WORD
  if (!word) return {}
  if (!isWireWord(word))
    throw new Failure(`COUNTERSIGN_WIRE_WORD must be ${WIRE_WORD_IN_WORDS}, not "${word}".`)
  return { wireWord: word }
}
