import { resolve } from 'node:path'
import { io } from '../terminal/io.ts'
import { ask, askServer } from './ask-server.ts'

interface Archive {
  readonly part: string
  readonly file: string
  readonly rows: number
}

interface Options {
  readonly json?: boolean
}

/** `countersign archive make --before MONTH <folder>`: returns the exit code. */
export function makeArchive(folder: string, { before, json }: Options & { before: string }): Promise<number> {
  return ask<{ archived: readonly Archive[] }>(
    ['archive', 'make', '--before', before, '--to', resolve(folder)],
    json ?? false,
    ({ archived }) =>
      archived.length === 0
        ? `Nothing from before ${before} is left to archive.\n`
        : archived.map(lineOf).join(''),
  )
}

function lineOf({ file, rows }: Archive): string {
  return `${file}  ${rows} ${rows === 1 ? 'row' : 'rows'}\n`
}

/** `countersign archive list` */
export function listArchives({ json }: Options): Promise<number> {
  return ask<{ data: readonly Archive[] }>(['archive', 'list'], json ?? false, ({ data }) =>
    data.length === 0 ? 'There are no archives.\n' : data.map(lineOf).join(''),
  )
}

/** `countersign archive check <folder>`: returns 1 if a file is missing or has changed. */
export async function checkArchives(folder: string, { json }: Options): Promise<number> {
  const { exitCode, output } = await askServer(['archive', 'check', '--in', resolve(folder)], json ?? false)
  if (exitCode !== 0) return exitCode
  const { files, findings }: { files: number; findings: readonly string[] } = JSON.parse(output)
  const right = `${files} ${files === 1 ? 'file is' : 'files are'} as written.\n`
  const words = findings.length === 0 ? right : findings.map((finding) => `WRONG ${finding}\n`).join('')
  io().stdout.write(json ? output : words)
  return findings.length === 0 ? 0 : 1
}
