import type { App } from '../../kernel/operation/app.ts'

/** The offset of a platform's clock from real time, in milliseconds. */
export async function selectClockOffset(app: App, platformId: string): Promise<bigint> {
  const row = await app.read
    .selectFrom('platforms')
    .select('clock_offset_ms')
    .where('id', '=', platformId)
    .executeTakeFirstOrThrow()
  return row.clock_offset_ms
}
