import { resolve } from 'node:path'
import { io } from '../terminal/io.ts'
import { ask, askServer } from './ask-server.ts'

interface Findings {
  readonly findings: readonly unknown[]
}

interface Backup {
  readonly backup: string
  readonly files: number
  readonly bytes: number
  readonly documents: 'HERE' | 'BUCKET'
  readonly verified: Findings & { readonly checked: { readonly transfers: number } }
}

const MIB = 1024 * 1024

/**
 * `countersign backup [folder]`: returns the exit code, 1 if the books in it or the archive of PostgreSQL are
 * wrong.
 */
export async function backUp(folder: string | undefined, options: { json?: boolean }): Promise<number> {
  if (folder === undefined) return checkArchive(options)
  const { exitCode, output } = await askServer(
    ['backup', 'make', '--to', resolve(folder)],
    options.json ?? false,
  )
  if (exitCode !== 0) return exitCode
  const made: Backup = JSON.parse(output)
  io().stdout.write(options.json ? output : describe(made))
  return made.verified.findings.length > 0 ? 1 : 0
}

function describe({ backup, files, bytes, documents, verified }: Backup): string {
  const { checked, findings } = verified
  return [
    `${backup}: ${files} files, ${Math.ceil(bytes / MIB)} MiB.`,
    findings.length === 0
      ? `It opens, and its books are right: ${checked.transfers} transfers.`
      : `It opens, but ${findings.length} of its books are wrong: run countersign verify.`,
    ...(documents === 'BUCKET' ? ['Uploaded files are in the bucket, which needs a separate backup.'] : []),
    'The master key is not part of it: keep it elsewhere.',
    '',
  ].join('\n')
}

async function checkArchive(options: { json?: boolean }): Promise<number> {
  const { exitCode, output } = await askServer(['backup', 'check'], options.json ?? false)
  if (exitCode !== 0) return exitCode
  const { findings }: { readonly findings: readonly string[] } = JSON.parse(output)
  const words =
    findings.length > 0 ? findings.map((one) => `WRONG ${one}`) : ['The log of PostgreSQL is archived.']
  io().stdout.write(options.json ? output : `${words.join('\n')}\nSee docs/backups.md.\n`)
  return findings.length > 0 ? 1 : 0
}

interface Restored {
  readonly restored: string
  readonly createdAt: string
  readonly version: string
  readonly documents: 'HERE' | 'BUCKET'
}

/** `countersign restore <folder>`: returns the exit code. */
export async function restore(folder: string, options: { json?: boolean }): Promise<number> {
  return ask(
    ['backup', 'restore', '--from', resolve(folder)],
    options.json ?? false,
    ({ restored, createdAt, version }: Restored) =>
      `${restored} is as it was at ${createdAt}, made by release ${version}. Start the server.\n`,
  )
}

interface Moved {
  readonly moved: Readonly<Record<string, number>>
  readonly verified: Findings & { readonly checked: { readonly transfers: number } }
}

/** `countersign migrate --from … --to …`: returns the exit code, 1 if the books are wrong. */
export async function migrate(options: { from: string; to?: string; json?: boolean }): Promise<number> {
  const { from, to } = options
  const args = ['database', 'move', '--from', resolve(from), ...(to === undefined ? [] : ['--to', to])]
  const { exitCode, output } = await askServer(args, options.json ?? false)
  if (exitCode !== 0) return exitCode
  const { moved, verified }: Moved = JSON.parse(output)
  const counts = Object.values(moved)
  const rows = counts.reduce((sum, count) => sum + count, 0)
  const { checked, findings } = verified
  const words = [
    `${rows} rows of ${counts.length} tables are in PostgreSQL, each the same as before.`,
    findings.length === 0
      ? `The books are right: ${checked.transfers} transfers.`
      : `${findings.length} of the books are wrong, as they were before: run countersign verify.`,
    'Start the server with DATABASE_URL, the same master key and the same uploaded files.',
  ]
  io().stdout.write(options.json ? output : `${words.join('\n')}\n`)
  return findings.length > 0 ? 1 : 0
}
