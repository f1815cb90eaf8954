import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../terminal/shell.ts'
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

/** Makes a command of `countersign agent …`, with the options that all of them have. */
type Add = (usage: string, description: string) => Command

/** Adds `countersign agent …`. */
export function addAgentCommands(program: Command): void {
  const agent = program
    .command('agent')
    .description('agents of your platform: who there is, what waits for approval')
  const add: Add = (usage, description) => withShellOptions(agent.command(usage).description(description))
  addCreate(add)
  addList(add)
  addDecisions(add)
  addLifecycle(add)
  addWatch(add)
}

function addCreate(add: Add): void {
  add('create', 'make an agent for a customer and show its device code, once')
    .requiredOption('--customer <id>', 'for whom it acts, Customer:…')
    .requiredOption('--name <name>', 'what to call it')
    .option('--policy <file>', 'the whole policy as JSON, as the API has it; or the options below')
    .option('--allow <list>', 'permissions, separated by commas: VIEW_TRANSACTIONS, CREATE_TRANSFERS, …')
    .option('--currency <code>', 'of all amounts here, as USD')
    .option('--per-transaction <amount>', 'the most that one action may move, as 100.00')
    .option('--daily <amount>', 'the most on one day, in UTC')
    .option('--daily-count <number>', 'how many actions on one day')
    .option('--monthly <amount>', 'the most in one month')
    .option('--approve-all', 'each action waits for approval')
    .option('--approve-over <amount>', 'what moves more than this waits for approval')
    .option('--accounts <list>', 'the only accounts here that it may touch, separated by commas')
    .option(
      '--payees <list>',
      'the only accounts elsewhere that it may touch, separated by commas; no addresses then',
    )
    .action(async (options: ShellOptions & PolicyOptions & { customer: string; name: string }) => {
      const { credentials: _, baseUrl: __, json: ___, ...own } = options
      await createAgent(await openShell(options), own)
    })
}

function addList(add: Add): void {
  add('list', 'agents, their limits and what they have used of them')
    .option('--customer <id>', 'of this customer only')
    .action(async (options: ShellOptions & { customer?: string }) =>
      listAgents(await openShell(options), options),
    )
}

/** What a person says to an action that waits. */
function addDecisions(add: Add): void {
  add('approve <action>', 'have done what waits for approval, AgentAction:…')
    .option('--agent <id>', 'whose it is; needed only where it was decided before')
    .action(async (action: string, options: ShellOptions & { agent?: string }) =>
      approveAction(await openShell(options), action, options),
    )
  add('reject <action>', 'turn down what waits for approval')
    .option('--agent <id>', 'whose it is; needed only where it was decided before')
    .option('--reason <text>', 'the agent reads it')
    .action(async (action: string, options: ShellOptions & { agent?: string; reason?: string }) =>
      rejectAction(await openShell(options), action, options),
    )
}

function addLifecycle(add: Add): void {
  add('pause <agent>', 'let it read and do nothing, from the next request on').action(
    async (id: string, options: ShellOptions) => setPaused(await openShell(options), id, true),
  )
  add('resume <agent>', 'let a paused agent go on').action(async (id: string, options: ShellOptions) =>
    setPaused(await openShell(options), id, false),
  )
  add('delete <agent>', 'end it: its token, and what waits for approval').action(
    async (id: string, options: ShellOptions) => deleteAgent(await openShell(options), id),
  )
  add('code <agent>', 'a new device code, which connects it anew').action(
    async (id: string, options: ShellOptions) => makeCode(await openShell(options), id),
  )
}

function addWatch(add: Add): void {
  add('watch', 'print what waits for approval, as it comes, until Ctrl-C')
    .option('--agent <id>', 'of this agent only')
    .action(async (options: ShellOptions & { agent?: string }) => {
      const shell = await openShell(options)
      await untilInterrupted((signal) => watchApprovals(shell, { ...options, signal }))
    })
}

/** Ctrl-C and SIGTERM end the work in an orderly way, and the program with 0. */
async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const end = () => controller.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await work(controller.signal)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}
