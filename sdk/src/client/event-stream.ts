/** A message of a server-sent event stream, with the fields that this API uses. */
export interface ServerMessage {
  /** The stream can be resumed after this id. A message without data has only this field. */
  readonly id: string | undefined
  readonly data: string | undefined
}

/** Splits a byte stream into complete messages. A truncated message at the end is dropped. */
export async function* readServerMessages(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerMessage, void, undefined> {
  const decoder = new TextDecoder()
  let incomplete = ''
  for await (const chunk of chunks) {
    const blocks = (incomplete + decoder.decode(chunk, { stream: true })).split('\n\n')
    incomplete = blocks.pop() ?? ''
    for (const block of blocks) yield parseMessage(block)
  }
}

function parseMessage(block: string): ServerMessage {
  const lines = block.split('\n')
  const readField = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: readField('id'), data: readField('data') }
}

/** Yields the chunks of a body. Calls `onStall` if no chunk arrives within `stallMs`. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
  onStall: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  try {
    for (;;) {
      const stallTimer = setTimeout(onStall, stallMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(stallTimer))
      if (done) return
      yield value
    }
  } finally {
    // Closes the connection if the reader stopped early.
    await reader.cancel().catch(() => {})
  }
}
