/** A text as the bytes of a file, in pieces of this many bytes, so that everything is met across their ends. */
export async function* bytesOf(text: string | Uint8Array, pieceBytes = 61): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export async function* each<One>(ones: readonly One[]): AsyncGenerator<One> {
  yield* ones
}

export async function all<One>(ones: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = []
  for await (const one of ones) found.push(one)
  return found
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await all(pieces)).join('')
}
