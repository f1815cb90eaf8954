import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { askYesNo } from '../terminal/ask-yes-no.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { untilInterrupted } from '../terminal/interrupted.ts'
import { io } from '../terminal/io.ts'
import {
  approveAction,
  createAgent,
  deleteAgent,
  listAgents,
  makeCode,
  rejectAction,
  setPaused,
} from './agents.ts'
import type { PolicyOptions } from './policy.ts'
import { watchApprovals } from './watch.ts'

/** Adds a subcommand of `countersign agent` with the common options. */
type Add = (usage: string, description: string) => Command

/** Adds `countersign agent …`. */
export function addAgentCommands(program: Command): void {
  const agent = program.command('agent').description('agents of your platform and their pending actions')
  const add: Add = (usage, description) => withShellOptions(agent.command(usage).description(description))
  addCreate(add)
  addList(add)
  addDecisions(add)
  addLifecycle(add)
  addWatch(add)
}

function addCreate(add: Add): void {
  add('create', 'create an agent for a customer and show its device code, once')
    .requiredOption('--customer <id>', 'the customer it acts for, Customer:…')
    .requiredOption('--name <name>', 'name of the agent')
    .option(
      '--policy <file>',
      'the complete policy as JSON, in the format of the API; or use the options below',
    )
    .option('--allow <list>', 'permissions, separated by commas: VIEW_TRANSACTIONS, CREATE_TRANSFERS, …')
    .option('--currency <code>', 'currency of all amounts below, for example USD')
    .option('--per-transaction <amount>', 'maximum amount per action, for example 100.00')
    .option('--daily <amount>', 'maximum total per day, in UTC')
    .option('--daily-count <number>', 'maximum number of actions per day')
    .option('--monthly <amount>', 'maximum total per month')
    .option('--approve-all', 'require approval for every action')
    .option('--approve-over <amount>', 'require approval for actions above this amount')
    .option('--accounts <list>', 'the only internal accounts it may use, separated by commas')
    .option(
      '--payees <list>',
      'the only external accounts it may use, separated by commas; excludes UMA addresses',
    )
    .action(async (options: ShellOptions & PolicyOptions & { customer: string; name: string }) => {
      const { credentials: _, baseUrl: __, json: ___, profile: ____, ...own } = options
      await createAgent(await openShell(options), own)
    })
}

function addList(add: Add): void {
  add('list', 'list agents, their limits and their usage')
    .option('--customer <id>', 'only agents of this customer')
    .action(async (options: ShellOptions & { customer?: string }) =>
      listAgents(await openShell(options), options),
    )
}

/** Adds the commands that approve or reject a pending action. */
function addDecisions(add: Add): void {
  add('approve <action>', 'approve a pending action, AgentAction:…')
    .option('--agent <id>', 'its agent; only needed if the action has already been decided')
    .action(async (action: string, options: ShellOptions & { agent?: string }) =>
      approveAction(await openShell(options), action, options),
    )
  add('reject <action>', 'reject a pending action')
    .option('--agent <id>', 'its agent; only needed if the action has already been decided')
    .option('--reason <text>', 'the reason shown to the agent')
    .action(async (action: string, options: ShellOptions & { agent?: string; reason?: string }) =>
      rejectAction(await openShell(options), action, options),
    )
}

function addLifecycle(add: Add): void {
  add('pause <agent>', 'allow an agent only to read, from its next request on').action(
    async (id: string, options: ShellOptions) => setPaused(await openShell(options), id, true),
  )
  add('resume <agent>', 'let a paused agent act again').action(async (id: string, options: ShellOptions) =>
    setPaused(await openShell(options), id, false),
  )
  add('delete <agent>', 'delete an agent: revokes its token and rejects its pending actions')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`Delete ${id} permanently?`, options.yes)
      await deleteAgent(await openShell(options), id)
    })
  add('code <agent>', 'create a new device code to reconnect the agent').action(
    async (id: string, options: ShellOptions) => makeCode(await openShell(options), id),
  )
}

function addWatch(add: Add): void {
  add(
    'watch',
    'print pending actions as they arrive, and on a terminal ask for a decision on each, until Ctrl-C',
  )
    .option('--agent <id>', 'only actions of this agent')
    .action(async (options: ShellOptions & { agent?: string }) => {
      const shell = await openShell(options)
      const { agent } = options
      const isInteractive = !shell.isJson && io().stdin.isTTY && io().stdout.isTTY
      await untilInterrupted((signal) =>
        watchApprovals(shell, {
          ...(agent === undefined ? {} : { agent }),
          ...(isInteractive ? { ask: askYesNo } : {}),
          signal,
        }),
      )
    })
}
