import { Button, Group, Modal, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'

/** Asks before unsaved input is discarded. */
export function UnsavedQuestion(props: {
  readonly isOpen: boolean
  readonly stay: () => void
  readonly leave: () => void
}) {
  const { isOpen, stay, leave } = props
  return (
    <Modal opened={isOpen} onClose={stay} title="Leave without saving?" centered>
      <Stack gap="md">
        <span>Your changes are not saved.</span>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            Stay
          </Button>
          <Button color="red" onClick={leave}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/**
 * Asks before the member leaves a page with unsaved changes, by a link or by closing the window. Render
 * `question` on the page. Call `leave` before navigating away after saving, so that it does not ask.
 */
export function useUnsavedGuard(isDirty: boolean): {
  readonly question: ReactNode
  readonly leave: () => void
} {
  const isLeaving = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !isLeaving.current,
    enableBeforeUnload: () => isDirty && !isLeaving.current,
    withResolver: true,
  })
  const question = (
    <UnsavedQuestion
      isOpen={blocker.status === 'blocked'}
      stay={() => blocker.reset?.()}
      leave={() => blocker.proceed?.()}
    />
  )
  return {
    question,
    leave: () => {
      isLeaving.current = true
    },
  }
}
