/**
 * Yields the findings of a reader after it has read the whole file once: a file with an error at its end
 * yields nothing at all. `open` reopens the unchanged file; memory does not grow with the file.
 */
export async function* readTwice<Found>(
  open: () => AsyncIterable<Uint8Array>,
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  for await (const _ of read(open()));
  yield* read(open())
}

/** Passes bytes on until there are too many. `refusal` makes the error to throw then. */
export async function* atMost(
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
