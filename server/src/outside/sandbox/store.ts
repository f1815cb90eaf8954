import type { App } from '../../kernel/operation/app.ts'

/** How far a platform's clock is ahead of real time, in milliseconds. */
export async function selectClockOffset(app: App, platformId: string): Promise<bigint> {
  const row = await app.read
    .selectFrom('platforms')
    .select('clock_offset_ms')
    .where('id', '=', platformId)
    .executeTakeFirstOrThrow()
  return row.clock_offset_ms
}
