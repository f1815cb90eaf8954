import { Button, Tooltip } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { usePageKeys } from './keys.ts'
import { targetOf } from './target.ts'

/** The record after the current one; the first one after the last. Undefined if no other waits. */
export function nextOf(ids: readonly string[], current: string): string | undefined {
  const following = ids[ids.indexOf(current) + 1] ?? ids[0]
  return following === current ? undefined : following
}

/** The position of a record in a queue, with links to the previous and the next one: `k` and `j`. */
export function QueueNav(props: {
  readonly ids: readonly string[]
  readonly current: string
  readonly pathOf: (id: string) => string
}) {
  const { ids, current, pathOf } = props
  const navigate = useNavigate()
  const at = ids.indexOf(current)
  const [before, after] = [ids[at - 1], nextOf(ids, current)]
  const go = (id: string | undefined) => {
    if (id !== undefined) void navigate(targetOf(pathOf(id)))
  }
  usePageKeys({ j: () => go(after), k: () => go(before) })
  return (
    <>
      {at >= 0 && (
        <span className="soft figures">
          {at + 1} of {ids.length}
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
