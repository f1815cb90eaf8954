import { type Actor, type App, createOp, type Op } from '../../kernel/operation/app.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'

/** Creates an operation of a platform outside of any request. Throws if the platform does not exist. */
export async function operate(
  app: App,
  platformId: string,
  actor: Actor = { kind: 'operator' },
): Promise<Op> {
  const platform = await app.lookup(BARE_PLATFORM_BY_ID, platformId)
  if (!platform) throw new Error(`${platformId} does not exist.`)
  return createOp(app, await app.withConfig(platform), actor)
}
