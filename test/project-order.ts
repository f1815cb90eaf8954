import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { PROJECTS, projectNameOf } from './projects.ts'

const PLACES: ReadonlyMap<string, number> = new Map(PROJECTS.map(({ name }, place) => [name, place]))

/**
 * Runs project by project, so that a worker keeps its modules, in the order of the table: first those whose files take
 * minutes, so that none is left over for one worker at the end. Within a project vitest begins with the files that took
 * longest in the run before.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification) => PLACES.get(projectNameOf(moduleId)) ?? 0
    return sorted.sort((a, b) => placeOf(a) - placeOf(b))
  }
}
