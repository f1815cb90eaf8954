import { type AgentAction, type AgentRecord, type DeviceCode, SignatureRequiredError } from '@countersign/sdk'
import { statementOf } from '@countersign/sdk/wallet'
import { printList, printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { formatProgramCall } from '../terminal/program-words.ts'
import { joinBlocks } from '../terminal/table.ts'
import { type PolicyOptions, readPolicy } from './policy.ts'
import { describeAccounts, describeAction, describeApprovals, describeLimits } from './words.ts'

const LABEL_WIDTH = 15

/** `countersign agent create` */
export async function createAgent(
  shell: Shell,
  options: PolicyOptions & { readonly customer: string; readonly name: string },
): Promise<void> {
  const { customer, name, ...words } = options
  const policy = await readPolicy(words)
  const creation = await shell.countersign.agents.create({ name, customerId: customer, policy })
  printResult(shell, creation, [
    ...formatAgent(creation.agent),
    '',
    ...formatDeviceCode(shell, creation.deviceCode),
  ])
}

/** `countersign agent list` */
export async function listAgents(shell: Shell, options: { readonly customer?: string }): Promise<void> {
  const query = options.customer === undefined ? {} : { customerId: options.customer }
  const list = shell.countersign.agents.list(query)
  await printList(shell, list, (agents) => joinBlocks(agents.map(formatAgent)), 'There are no agents.')
}

/** `countersign agent approve` */
export async function approveAction(
  shell: Shell,
  actionId: string,
  options: { readonly agent?: string },
): Promise<void> {
  const { agents } = shell.countersign
  const { agentId } = await findAction(shell, actionId, options.agent)
  const action = await agents.approve(agentId, actionId).catch((error: unknown) => {
    if (!(error instanceof SignatureRequiredError)) throw error
    const summary = statementOf(error.payloadToSign)?.summary ?? error.payloadToSign
    throw new Failure(
      `The source is an embedded wallet, so its holder must sign the approval in your app (call agents.approve of the SDK with a session as the signer): ${summary}`,
    )
  })
  printDecision(shell, action)
  // The approval succeeded but the action failed, so the command exits with an error.
  if (action.status === 'FAILED')
    throw new Failure(`The action failed: ${action.rejectionReason ?? 'no reason given'}`)
}

/** `countersign agent reject` */
export async function rejectAction(
  shell: Shell,
  actionId: string,
  options: { readonly agent?: string; readonly reason?: string },
): Promise<void> {
  const { agentId } = await findAction(shell, actionId, options.agent)
  const body = options.reason === undefined ? {} : { reason: options.reason }
  printDecision(shell, await shell.countersign.agents.reject(agentId, actionId, body))
}

/** `countersign agent pause` and `resume` */
export async function setPaused(shell: Shell, agentId: string, isPaused: boolean): Promise<void> {
  const agent = await shell.countersign.agents.update(agentId, { isPaused })
  printResult(shell, agent, [
    `${agent.id} "${agent.name}" ${agent.isPaused ? 'is paused: it can only read' : 'is resumed'}.`,
  ])
}

/** `countersign agent delete` */
export async function deleteAgent(shell: Shell, agentId: string): Promise<void> {
  await shell.countersign.agents.delete(agentId)
  printResult(shell, { id: agentId, isDeleted: true }, [
    `${agentId} has been deleted. Its token is revoked, and its pending actions are rejected.`,
  ])
}

/** `countersign agent code` */
export async function makeCode(shell: Shell, agentId: string): Promise<void> {
  const code = await shell.countersign.agents.createDeviceCode(agentId)
  printResult(shell, code, formatDeviceCode(shell, code))
}

/** Finds a pending action only by its id. An action that is no longer pending also needs the agent's id. */
async function findAction(
  { countersign }: Shell,
  id: string,
  agentId: string | undefined,
): Promise<Pick<AgentAction, 'id' | 'agentId'>> {
  if (agentId !== undefined) return { id, agentId }
  for await (const action of countersign.agents.approvals()) if (action.id === id) return action
  throw new Failure(
    `No action ${id} is waiting for approval. If it has already been decided, pass its agent: --agent Agent:…`,
  )
}

function printDecision(shell: Shell, action: AgentAction): void {
  const reason = action.rejectionReason === undefined ? '' : `: ${action.rejectionReason}`
  printResult(shell, action, [
    `${action.id} is ${action.status}${reason}`,
    formatRow('action', describeAction(action)),
    ...(action.transaction
      ? [formatRow('transaction', `${action.transaction.id} ${action.transaction.status}`)]
      : []),
  ])
}

function formatAgent(agent: AgentRecord): string[] {
  const state = [agent.isPaused ? 'paused' : 'active', agent.isConnected ? 'connected' : 'not connected']
  return [
    `${agent.id}  "${agent.name}", ${state.join(', ')}`,
    formatRow('customer', agent.customerId),
    formatRow('may', agent.policy.permissions.join(', ') || 'nothing'),
    ...describeLimits(agent).map((line, i) => formatRow(i === 0 ? 'limits' : '', line)),
    ...describeAccounts(agent).map((line, i) => formatRow(i === 0 ? 'accounts' : '', line)),
    formatRow('approval', describeApprovals(agent)),
  ]
}

function formatDeviceCode({ baseUrl }: Shell, { code, expiresAt }: DeviceCode): string[] {
  return [
    `Device code  ${code}  valid once, until ${expiresAt}`,
    'The agent redeems it. For an AI program, configure this as its tool server:',
    `  ${formatProgramCall({ isAbsolute: true })} mcp --base-url ${baseUrl} --code ${code}`,
  ]
}

function formatRow(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${value}`
}
