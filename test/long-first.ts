import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take half a minute or more, mostly because they wait for processes that they start. */
const LONG: ReadonlySet<string> = new Set([
  'cli/test/chain-demo.test.ts',
  'cli/test/cli.test.ts',
  'cli/test/live.test.ts',
  'cli/test/operator.test.ts',
  'sdk/test/operations-guide.test.ts',
  'sdk/test/production-guide.test.ts',
  'sdk/test/sign-in.test.ts',
  'sdk/test/stablecoins-guide.test.ts',
  'server/test/admin/admin-commands.test.ts',
  'server/test/backups/backups.test.ts',
  'server/test/chains/lying-nodes.test.ts',
  'server/test/chains/payments.test.ts',
  'server/test/reliability/chain-kill.test.ts',
  'server/test/reliability/rails-kill.test.ts',
  'server/test/service/process.test.ts',
])

/**
 * Begins with the longest files, so that none is left over for one process at the end. vitest itself knows how long files took in
 * the run before; a fresh clone has none, and there the guides, which are short texts, would come last.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId, project }: TestSpecification) =>
      LONG.has(moduleId.slice(project.config.root.length + 1))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
