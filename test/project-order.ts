import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { PROJECTS, projectNameOf } from './projects.ts'

const POSITIONS: ReadonlyMap<string, number> = new Map(PROJECTS.map(({ name }, position) => [name, position]))

/**
 * Runs the projects one after another in the table's order, so that workers keep their modules. Projects
 * whose files take minutes come first, so that no long file is left for a single worker. Within a project,
 * vitest starts with the files that took longest in the previous run.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const positionOf = ({ moduleId }: TestSpecification) => POSITIONS.get(projectNameOf(moduleId)) ?? 0
    return sorted.sort((a, b) => positionOf(a) - positionOf(b))
  }
}
