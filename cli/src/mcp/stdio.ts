import type { Agent } from '@countersign/sdk/agent'
import { io } from '../terminal/io.ts'
import { getErrorMessage } from '../terminal/thrown.ts'
import { findAgent, type McpOptions } from './agent-token.ts'
import { createServerFactory } from './tool-server.ts'

/**
 * `countersign mcp`: serves the tools over standard input and output until the client disconnects. Nothing
 * else may write to standard output. The agent connects on first use, so that merely listing the tools does
 * not redeem a device code.
 */
export async function serveStdio(options: McpOptions): Promise<void> {
  const connectAgent = await findAgent(options)
  const report = (error: unknown) => {
    io().stderr.write(`${getErrorMessage(error)}\n`)
  }
  const [newServer, stdio] = await Promise.all([
    createServerFactory(report),
    import('@modelcontextprotocol/server/stdio'),
  ])
  let connecting: Promise<Agent> | undefined
  const connect = () => {
    connecting ??= connectAgent().catch((error: unknown) => {
      connecting = undefined
      throw error
    })
    return connecting
  }
  const inputClosed = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  const handle = stdio.serveStdio(() => newServer(connect), { onerror: report })
  await inputClosed
  await handle.close()
}
