/**
 * Gives what a reader finds in a file, after it has read all of it once: a file with a fault at its end gives nothing at all,
 * however far the reader would have come. `open` opens the file anew, unchanged; memory does not grow with the file.
 */
export async function* readTwice<Found>(
  open: () => AsyncIterable<Uint8Array>,
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  for await (const _ of read(open()));
  yield* read(open())
}

/** The bytes as they come, until there are more than may be. `refusal` makes the error that is thrown then. */
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
