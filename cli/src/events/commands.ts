import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { readEventTypes } from '../terminal/event-types.ts'
import { untilInterrupted } from '../terminal/interrupted.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { listenForEvents } from './listen.ts'
import { replayEvents, streamEvents } from './stream.ts'

type Types = ReturnType<typeof readEventTypes>

const LISTEN = `
Each event is sent as a POST, like a webhook, and signed according to Standard Webhooks with the secrets of your platform.
It is retried until the response is 2xx or 409. A restart resumes after the last received event: docs/cli.md.`

/** Adds `countersign listen` and `countersign events stream|replay`. */
export function addEventCommands(program: Command): void {
  withShellOptions(program.command('listen').description('deliver events to a server on this machine'))
    .requiredOption(
      '--forward-to <url>',
      'the URL that receives the events, such as http://localhost:3000/hooks',
    )
    .option('--events <types>', 'only events of these types, separated by commas', readEventTypes)
    .addHelpText('after', LISTEN)
    .action(async (options: ShellOptions & { forwardTo: string; events?: Types }) => {
      const { forwardTo, events: types } = options
      const shell = await openShell(options)
      await untilInterrupted((signal) => listenForEvents(shell, { forwardTo, types, signal }))
    })
  addEvents(program)
}

function addEvents(program: Command): void {
  const events = ensureNounCommand(program, 'events', 'the events that webhooks deliver')
  withShellOptions(events.command('stream').description('print events as they happen'))
    .option('--after <event>', 'start after this event, Event:…')
    .option('--types <types>', 'only events of these types, separated by commas', readEventTypes)
    .action(async (options: ShellOptions & { after?: string; types?: Types }) => {
      const { after, types } = options
      const shell = await openShell(options)
      await untilInterrupted((signal) => streamEvents(shell, { after, types, signal }))
    })
  withShellOptions(
    events.command('replay').description('redeliver the events of a period to your webhook endpoint'),
  )
    .requiredOption('--from <time>', 'the start of the period, such as 2026-01-31T12:00:00Z')
    .option('--to <time>', 'the end of the period (default: now)')
    .option('--types <types>', 'only events of these types, separated by commas', readEventTypes)
    .option('--yes', 'skip the confirmation')
    .action(async (options: ShellOptions & Parameters<typeof replayEvents>[1]) =>
      replayEvents(await openShell(options), options),
    )
}
