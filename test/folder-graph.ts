import { readdirSync, readFileSync } from 'node:fs'
import { FOLDERS, folderOf } from './folders.ts'
import { importsOf } from './source-reading.ts'
import { isTest, resolve } from './source-rules.ts'

/**
 * The folders of each room with an order, from the ground up, and the folders that each one imports, as lines of text.
 * `root` is the repository's folder. What a line names stands above it: the graph has no cycle.
 */
export function folderGraph(root: string): string {
  return Object.entries(FOLDERS)
    .map(([room, order]) => {
      const edges = edgesOf(root, room)
      const lines = order.map((folder) => {
        const imported = order.filter((other) => edges.get(folder)?.has(other))
        return `  ${folder}${imported.length > 0 ? ` → ${imported.join(', ')}` : ''}`
      })
      const upward = order.flatMap((folder, place) =>
        order.slice(place + 1).filter((other) => edges.get(folder)?.has(other)),
      )
      return [`${room}: ${order.length} folders, ${upward.length} imports that run up`, ...lines].join('\n')
    })
    .join('\n\n')
}

/** For each folder of a room the other folders that its files import, types included. */
function edgesOf(root: string, room: string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const name of readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' })) {
    const path = `${room}/${name.replaceAll('\\', '/')}`
    const from = folderOf(path)
    if (!from || !/\.tsx?$/.test(path) || isTest(path)) continue
    const imported = edges.get(from.folder) ?? new Set<string>()
    for (const { specifier } of importsOf({ path, text: readFileSync(`${root}/${path}`, 'utf8') })) {
      const target = resolve(path, specifier)
      const to = target === undefined ? undefined : folderOf(target)
      if (to && to.room === from.room && to.folder !== from.folder) imported.add(to.folder)
    }
    edges.set(from.folder, imported)
  }
  return edges
}
