import { RECORD_CHARACTERS } from './ach-records.ts'
import { UnreadableFile } from './unreadable-file.ts'

const [LINE_FEED, CARRIAGE_RETURN, SPACE, TILDE] = [0x0a, 0x0d, 0x20, 0x7e]

/**
 * The records of a NACHA file, which end with a line feed, with carriage return and line feed, or with nothing. Throws
 * UnreadableFile for a record of another length, and for a byte that is not printable ASCII.
 */
export async function* readAchLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const record = new Uint8Array(RECORD_CHARACTERS)
  let [filled, lines] = [0, 0]
  const line = () => Buffer.from(record.buffer, 0, RECORD_CHARACTERS).toString('latin1')
  const refuse = (what: string) => new UnreadableFile(`line ${lines + 1}: ${what}`)
  for await (const piece of bytes)
    for (const byte of piece) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        // Ends of lines stand between whole records only.
        if (filled % RECORD_CHARACTERS !== 0)
          throw refuse(`has ${filled} characters, not ${RECORD_CHARACTERS}`)
        continue
      }
      if (byte < SPACE || byte > TILDE) throw refuse('has a byte that is no printable ASCII')
      record[filled] = byte
      filled += 1
      if (filled < RECORD_CHARACTERS) continue
      yield line()
      filled = 0
      lines += 1
    }
  if (filled > 0) throw refuse(`has ${filled} characters, not ${RECORD_CHARACTERS}`)
}
