import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { main } from '../../../../cli/src/program.ts'
import type { Io } from '../../../../cli/src/terminal/io.ts'
import { blocksOf, type Command, commandsIn, patternOf } from '../../../../sdk/test/guide.testing.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { Production } from './bank.testing.ts'

export { blocksOf }

const ID = /\b[A-Z][A-Za-z]+:[0-9a-f-]{36}\b/g

/** The commands below each heading of a guide. */
export function commandsByHeading(guide: string): Map<string, Command[]> {
  const sections = guide.split(/^#{2,3} /m).slice(1)
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      blocksOf(section).flatMap(({ language, code }) =>
        language === 'console' ? commandsIn(language, joined(code)) : [],
      ),
    ]),
  )
}

/** Lines that a backslash continues are one. */
function joined(code: string): string {
  return code.replaceAll(/\\\n\s*/g, '')
}

/** A person who does what a guide says, with the credentials of a platform and the rights of the operator. */
export class GuidedOperator {
  readonly #world: Production
  readonly #folder: string

  private constructor(world: Production, folder: string) {
    this.#world = world
    this.#folder = folder
  }

  static async open(world: Production): Promise<GuidedOperator> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-month-'))
    const { credentials, baseUrl } = world.client
    await writeFile(join(folder, 'credentials.json'), toJson({ ...credentials, baseUrl }))
    return new GuidedOperator(world, folder)
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  /**
   * Runs commands of a guide in their order, and compares what they ask and print with the guide, whatever the widths of columns. Each `…` of an id stands for
   * the next of `ids` of its kind, and then for the ids that the commands have printed.
   */
  async follows(
    commands: readonly Command[],
    { ids, date }: { readonly ids: readonly string[]; readonly date: string },
  ): Promise<void> {
    const known = new Set(ids)
    const left = [...ids]
    for (const { text, shown = '' } of commands) {
      const args = wordsOf(text.replaceAll(/\d{4}-\d\d-\d\d/g, date)).map((word) => filled(word, left))
      const said = await this.#confirms(args)
      // A day that differs is an exit code for programs.
      expect([said.exitCode, said.stderr], args.join(' ')).toEqual([
        shown.includes(' DIFFERENT ') ? 1 : 0,
        '',
      ])
      expect(said.stdout.replaceAll(/ {2,}/g, '  '), args.join(' ')).toMatch(
        patternOf(shown.replaceAll(/ {2,}/g, '  ')),
      )
      for (const [id] of said.stdout.matchAll(ID)) if (known.size < known.add(id).size) left.push(id)
    }
    expect(left.filter((id) => ids.includes(id))).toEqual([])
  }

  /** Runs a command. If it asks, reads the question and says yes. */
  async #confirms(args: readonly string[]): Promise<Said> {
    const said = await this.#run(args)
    const [, question] = /confirm it with --yes: (.*)\n/.exec(said.stderr) ?? []
    if (question === undefined) return said
    expect(said.exitCode).toBe(1)
    const done = await this.#run([...args, '--yes'])
    return { ...done, stdout: `${question}\n${done.stdout}` }
  }

  async #run(args: readonly string[]): Promise<Said> {
    let stdout = ''
    let stderr = ''
    const { app } = this.#world.service
    const serverProgram: Io['serverProgram'] = async (command) => ({
      ...{ exitCode: 0, errors: '' },
      output: `${JSON.stringify(await runCommand(app, command, ''))}\n`,
    })
    const exitCode = await main(args, {
      stdin: {},
      env: { NO_COLOR: '1', COUNTERSIGN_DATA_DIR: this.#folder, XDG_CONFIG_HOME: this.#folder },
      serverProgram,
      // A terminal shows tables. Without one for input a question is refused.
      stdout: { isTTY: true, write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
    })
    return { exitCode, stdout, stderr }
  }
}

interface Said {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The arguments of a command line: words, and strings in single quotes. */
function wordsOf(line: string): string[] {
  const [program, name, ...args] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  )
  expect([program, name]).toEqual(['npx', 'countersign'])
  return args
}

/** The word with an id in place of `Deposit:…`, which is taken from `left`. */
function filled(word: string, left: string[]): string {
  return word.replaceAll(/([A-Z][A-Za-z]+):…/g, (_, kind: string) => {
    const at = left.findIndex((id) => id.startsWith(`${kind}:`))
    expect(at, `an id for ${kind}:… in ${word}`).toBeGreaterThanOrEqual(0)
    return left.splice(at, 1)[0] ?? ''
  })
}
