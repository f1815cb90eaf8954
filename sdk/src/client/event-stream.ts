/** One message of a server-sent event stream, with the fields that this API uses. */
export interface ServerMessage {
  /** A stream can resume after this id. A message without data has no other field. */
  readonly id: string | undefined
  readonly data: string | undefined
}

/** The complete messages in the bytes of a stream. A truncated message at its end is dropped. */
export async function* serverMessages(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerMessage, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield messageOf(block)
  }
}

function messageOf(block: string): ServerMessage {
  const lines = block.split('\n')
  const member = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: member('id'), data: member('data') }
}

/** The chunks of a body, each read within `stallMs`; `onStall` ends a body that sends nothing for that long. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
  onStall: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  try {
    for (;;) {
      const stalled = setTimeout(onStall, stallMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(stalled))
      if (done) return
      yield value
    }
  } finally {
    // Ends the connection if the reader has stopped first.
    await reader.cancel().catch(() => {})
  }
}
