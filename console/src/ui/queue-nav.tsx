import { Button, Tooltip } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { usePageKeys } from './keys.ts'
import { toLinkTarget } from './target.ts'

/** Returns the next record in the queue, or the first one after the last. Undefined if there is no other. */
export function findNext(ids: readonly string[], current: string): string | undefined {
  const next = ids[ids.indexOf(current) + 1] ?? ids[0]
  return next === current ? undefined : next
}

/** The position of a record in a queue, with links to the previous and next record (`k` and `j`). */
export function QueueNav(props: {
  readonly ids: readonly string[]
  readonly current: string
  readonly getPath: (id: string) => string
}) {
  const { ids, current, getPath } = props
  const navigate = useNavigate()
  const index = ids.indexOf(current)
  const [before, after] = [ids[index - 1], findNext(ids, current)]
  const go = (id: string | undefined) => {
    if (id !== undefined) void navigate(toLinkTarget(getPath(id)))
  }
  usePageKeys({ j: () => go(after), k: () => go(before) })
  return (
    <>
      {index >= 0 && (
        <span className="soft figures">
          {index + 1} of {ids.length}
        </span>
      )}
      {after !== undefined && (
        <>
          <Tooltip label="Key k">
            <Button variant="default" disabled={before === undefined} onClick={() => go(before)}>
              Previous
            </Button>
          </Tooltip>
          <Tooltip label="Key j">
            <Button variant="default" onClick={() => go(after)}>
              Next
            </Button>
          </Tooltip>
        </>
      )}
    </>
  )
}
