import type { DocumentRow } from '../../storage/rows/document.ts'

type ContentType = DocumentRow['content_type']

/** The first bytes of a type's files, and a part of their last bytes. */
const TYPES: readonly {
  readonly type: ContentType
  readonly begins: Buffer
  readonly ends: Buffer
}[] = [
  { type: 'application/pdf', begins: Buffer.from('%PDF-'), ends: Buffer.from('%%EOF') },
  { type: 'image/jpeg', begins: Buffer.of(0xff, 0xd8, 0xff), ends: Buffer.of(0xff, 0xd9) },
  {
    type: 'image/png',
    // The signature and the head of the chunk IHDR, which is always 13 bytes long.
    begins: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    // The whole chunk IEND: length 0, name, checksum.
    ends: Buffer.from('0000000049454e44ae426082', 'hex'),
  },
]

/**
 * A file's type by its content: `head` are its first bytes, `tail` its last. `isWhole` is false if its end is
 * missing. Undefined for a file of any other type.
 */
export function fileTypeOf(
  head: Uint8Array,
  tail: Uint8Array,
): { readonly type: ContentType; readonly isWhole: boolean } | undefined {
  const found = TYPES.find(({ begins }) => Buffer.from(head.subarray(0, begins.length)).equals(begins))
  return found && { type: found.type, isWhole: Buffer.from(tail).includes(found.ends) }
}
