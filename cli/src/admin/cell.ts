import { io } from '../terminal/io.ts'
import { tableOf } from '../terminal/table.ts'
import { ask, askServer } from './ask-server.ts'

interface Cell {
  readonly schema: string
  readonly isOwn: boolean
  readonly mode: string | null
  readonly platforms: number | null
  readonly isOfThisBuild: boolean | null
  readonly servers: readonly string[]
}

/** `countersign cell list`: gives the exit code. */
export async function listCells(options: { json?: boolean }): Promise<number> {
  return ask(['cell', 'list'], options.json ?? false, ({ data }: { readonly data: readonly Cell[] }) =>
    tableOf(
      data.map(({ schema, isOwn, mode, platforms, isOfThisBuild, servers }) => [
        isOwn ? '*' : ' ',
        schema,
        mode ?? 'not readable',
        platforms === null ? '' : `${platforms} ${platforms === 1 ? 'platform' : 'platforms'}`,
        isOfThisBuild === null ? '' : isOfThisBuild ? 'this build' : 'another build',
        servers.join(', '),
      ]),
      'no cells',
    ),
  )
}

/** `countersign cell check`: gives the exit code, 1 if something is wrong. */
export async function checkCell(options: { json?: boolean }): Promise<number> {
  const { exitCode, output } = await askServer(['cell', 'check'], options.json ?? false)
  if (exitCode !== 0) return exitCode
  const { schema, findings }: { readonly schema: string; readonly findings: readonly string[] } =
    JSON.parse(output)
  const words =
    findings.length > 0 ? findings.map((one) => `WRONG ${one}`) : [`The cell ${schema} is as it must be.`]
  io().stdout.write(options.json ? output : `${words.join('\n')}\n`)
  return findings.length > 0 ? 1 : 0
}

/** `countersign cell map`: gives the exit code. */
export async function mapCell(options: { backend?: string; json?: boolean }): Promise<number> {
  return ask(
    ['cell', 'map', ...(options.backend === undefined ? [] : ['--backend', options.backend])],
    options.json ?? false,
    ({ lines }: { readonly lines: readonly string[] }) => lines.map((line) => `${line}\n`).join(''),
  )
}
