import type { Rail, Rails } from './rail.ts'

/** The rails that belong to a platform. */
export async function listOwnRails(rails: Rails, platformId: string): Promise<Rail[]> {
  const all = rails.list()
  const owners = await Promise.all(all.map((rail) => rails.ownerOf(rail)))
  return all.filter((_, index) => owners[index] === platformId)
}
