import type { DocumentRow } from '../../storage/rows/document.ts'

type ContentType = DocumentRow['content_type']

/** The bytes with which files of each type begin, and bytes that occur near their end. */
const TYPES: readonly {
  readonly type: ContentType
  readonly begins: Buffer
  readonly ends: Buffer
}[] = [
  { type: 'application/pdf', begins: Buffer.from('%PDF-'), ends: Buffer.from('%%EOF') },
  { type: 'image/jpeg', begins: Buffer.of(0xff, 0xd8, 0xff), ends: Buffer.of(0xff, 0xd9) },
  {
    type: 'image/png',
    // The signature, and the header of the IHDR chunk, which is always 13 bytes long.
    begins: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    // The complete IEND chunk: length 0, name, checksum.
    ends: Buffer.from('0000000049454e44ae426082', 'hex'),
  },
]

/**
 * Detects a file's type: `head` are the first bytes of its content, `tail` the last. `isComplete` is false if
 * the file is truncated. Undefined for all other types.
 */
export function detectFileType(
  head: Uint8Array,
  tail: Uint8Array,
): { readonly type: ContentType; readonly isComplete: boolean } | undefined {
  const fileType = TYPES.find(({ begins }) => Buffer.from(head.subarray(0, begins.length)).equals(begins))
  return fileType && { type: fileType.type, isComplete: Buffer.from(tail).includes(fileType.ends) }
}
