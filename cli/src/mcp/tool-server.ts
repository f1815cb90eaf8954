import { API_VERSION } from '@countersign/contract/core/api-version'
import type { Agent } from '@countersign/sdk/agent'
import type { Server } from '@modelcontextprotocol/server'
import { callTool } from './call-tool.ts'
import { findTool, listTools } from './tools.ts'

const INSTRUCTIONS = `Countersign: you act for one customer of a payments platform, under a policy.
Reading is free. Money moves only as far as the policy allows; beyond that a person approves it or it is refused.
Amounts are whole numbers of the smallest unit of their currency (2500 is 25.00 USD). A response also has each amount in words, in a field whose name ends in InWords: show that to the user, and calculate with the number.
A payment in one currency: countersign_transfer_out. Between currencies: countersign_create_quote, then countersign_execute_quote before it expires.
Ask countersign_simulate first if you are not sure. If an action is PENDING_APPROVAL, tell the user, then call countersign_wait_for_decision.
Do not split a payment to get below a limit. Set an idempotencyKey on every call that you may have to retry.
A null in an optional field is the same as leaving it out. An error has a code and a message: tell the user the reason, and do not retry the call unchanged.`

/**
 * Returns a function that creates a protocol server for one connection or request. The server offers the
 * tools on behalf of the agent that `connect` returns. `report` receives errors that cannot be returned to
 * the client.
 */
export async function createServerFactory(
  report: (error: unknown) => void,
): Promise<(connect: () => Promise<Agent>) => Server> {
  // Imported lazily, so that other commands start faster.
  const sdk = await import('@modelcontextprotocol/server')
  const getTool = (name: string) => {
    const tool = findTool(name)
    if (tool) return tool
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Tool "${name}" not found.`)
  }
  return (connect) => {
    const server = new sdk.Server(
      { name: 'countersign', title: 'Countersign', version: API_VERSION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    )
    server.setRequestHandler('tools/list', async () => ({
      tools: listTools(await readSelf(connect, report)),
    }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = getTool(params.name)
      try {
        return await callTool(connect, tool, params.arguments ?? {}, mcpReq.signal)
      } catch (error) {
        // A bug in this program: the client gets an internal error.
        report(error)
        throw error
      }
    })
    return server
  }
}

/**
 * Reads the agent for the notes about its policy. If the API does not respond, the tools are listed without
 * them.
 */
async function readSelf(connect: () => Promise<Agent>, report: (error: unknown) => void) {
  try {
    return await (await connect()).me()
  } catch (error) {
    report(error)
    return undefined
  }
}
