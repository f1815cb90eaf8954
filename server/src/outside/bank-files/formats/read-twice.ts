/**
 * Reads the whole file once before it yields any record, so that a file with an error at its end yields
 * nothing. `open` reopens the unchanged file. Memory use does not depend on the file size.
 */
export async function* readTwice<Found>(
  open: () => AsyncIterable<Uint8Array>,
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  for await (const _ of read(open()));
  yield* read(open())
}

/** Passes bytes through, and throws the error created by `refusal` if there are more than `bytesMax`. */
export async function* limitBytes(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
  refusal: () => Error,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const piece of bytes) {
    count += piece.byteLength
    if (count > bytesMax) throw refusal()
    yield piece
  }
}
