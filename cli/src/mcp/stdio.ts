import type { Agent } from '@countersign/sdk/agent'
import { io } from '../terminal/io.ts'
import { messageOf } from '../terminal/thrown.ts'
import { findAgent, type McpOptions } from './agent-token.ts'
import { toolServers } from './tool-server.ts'

/**
 * `countersign mcp`: serves the tools over standard input and output until the other side closes. Nothing else may be
 * written to standard output. The agent connects at its first use, so a process that is only inspected redeems no
 * device code.
 */
export async function serveStdio(options: McpOptions): Promise<void> {
  const find = await findAgent(options)
  const report = (error: unknown) => {
    io().stderr.write(`${messageOf(error)}\n`)
  }
  const [newServer, stdio] = await Promise.all([
    toolServers(report),
    import('@modelcontextprotocol/server/stdio'),
  ])
  let connecting: Promise<Agent> | undefined
  const connect = () => {
    connecting ??= find().catch((error: unknown) => {
      connecting = undefined
      throw error
    })
    return connecting
  }
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  const handle = stdio.serveStdio(() => newServer(connect), { onerror: report })
  await ended
  await handle.close()
}
