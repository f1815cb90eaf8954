/**
 * Reads the whole file once before it yields a reader's findings: a file with an error at its end yields
 * nothing at all. `open` reopens the unchanged file. Memory use does not depend on the size of the file.
 */
export async function* readTwice<Found>(
  open: () => AsyncIterable<Uint8Array>,
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  for await (const _ of read(open()));
  yield* read(open())
}

/** Passes bytes through until there are too many, then throws the error created by `refusal`. */
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
