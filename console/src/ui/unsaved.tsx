import { Button, Group, Modal, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'

/**
 * Asks before a page with unsaved changes is left, by a link or by closing the window. `question` is for the page to show;
 * `leave` lets the next navigation through, for one that follows the saving.
 */
export function useUnsaved(isDirty: boolean): { readonly question: ReactNode; readonly leave: () => void } {
  const isLeaving = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !isLeaving.current,
    enableBeforeUnload: () => isDirty && !isLeaving.current,
    withResolver: true,
  })
  const isBlocked = blocker.status === 'blocked'
  const question = (
    <Modal opened={isBlocked} onClose={() => blocker.reset?.()} title="Leave without saving?" centered>
      <Stack gap="md">
        <span>What you have changed on this page is not saved.</span>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()} data-autofocus>
            Stay
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
  return {
    question,
    leave: () => {
      isLeaving.current = true
    },
  }
}
