import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * An append-only file with one JSON line per change. After `waitUntilWritten` the changes are on disk, and
 * replaying all lines restores the bank. Changes that arrive during a write share the next one.
 */
export class Journal {
  readonly #file: FileHandle
  #waiting: string[] = []
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Opens or creates the file. Drops a last line cut off by a crash, because its call never got a response. */
  static async open<Line>(path: string): Promise<{ journal: Journal; changes: Line[] }> {
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, 'a+', 0o600)
    const bytes = await file.readFile()
    const completeLines = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
    if (completeLines.length < bytes.length) await file.truncate(completeLines.length)
    await file.sync()
    const folder = await open(dirname(path), 'r')
    await folder.sync()
    await folder.close()
    const lines = completeLines.toString('utf8').split('\n').slice(0, -1)
    return { journal: new Journal(file), changes: lines.map((line): Line => JSON.parse(line)) }
  }

  append(change: unknown): void {
    this.#waiting.push(`${JSON.stringify(change)}\n`)
    void this.waitUntilWritten()
  }

  /** Resolves when everything appended so far is on disk. */
  waitUntilWritten(): Promise<void> {
    if (this.#waiting.length === 0) return this.#writing
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      this.#writing = this.#write()
      return this.#writing
    })
    return this.#next
  }

  async #write(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    try {
      await this.#file.appendFile(lines.join(''))
      await this.#file.datasync()
    } catch (error) {
      // The content of the disk is now unknown. Only a restart, which reads the file again, can recover.
      process.stderr.write(`The journal could not be written: ${String(error)}\n`)
      process.exit(1)
    }
  }

  async close(): Promise<void> {
    await this.waitUntilWritten()
    await this.#file.close()
  }
}
