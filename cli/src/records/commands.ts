import type { Command } from 'commander'
import { nounOf } from '../terminal/noun.ts'
import { credentialsOf, openShell, type ShellOptions, withShellOptions } from '../terminal/shell.ts'
import { addFilters } from './filters.ts'
import { getRecord, type ListOptions, listRecords } from './list.ts'
import { RECORD_NOUNS, type RecordNoun } from './nouns.ts'
import { callRaw, type RawOptions } from './raw.ts'
import { searchRecords } from './search.ts'

/** Adds `list` and `get` of every noun, `countersign search` and `countersign api`. */
export function addRecordCommands(program: Command, done: (exitCode: number) => void): void {
  const [customers, accounts, transactions, events, quotes] = RECORD_NOUNS
  addNoun(program, customers)
  addNoun(program, accounts)
  addNoun(program, transactions)
  addNoun(program, events)
  addNoun(program, quotes)
  withShellOptions(
    program.command('search <text>').description('find a record by whatever is known of it'),
  ).action(async (text: string, options: ShellOptions) => searchRecords(await openShell(options), text))
  withShellOptions(
    program
      .command('api <method> <path>')
      .description('make any call of the API, such as: api GET /customers?limit=1'),
  )
    .option('--data <json>', 'the body, as JSON, or @ and the name of a file')
    .option('--idempotency-key <key>', 'with the same key again, nothing happens twice')
    .action(async (method: string, path: string, options: ShellOptions & RawOptions) =>
      done(await callRaw(await credentialsOf(options), method, path, options)),
    )
}

function addNoun<N extends RecordNoun['list']>(program: Command, noun: RecordNoun<N>): void {
  const { name, description } = noun
  const command = nounOf(program, name, description)
  const list = withShellOptions(command.command('list').description(`list ${name}`))
  addFilters(list, noun)
  list.action(async (options: ShellOptions & ListOptions) =>
    listRecords(await openShell(options), noun, options),
  )
  withShellOptions(command.command('get <id>').description('show one of them')).action(
    async (id: string, options: ShellOptions) => getRecord(await openShell(options), noun, id),
  )
}
