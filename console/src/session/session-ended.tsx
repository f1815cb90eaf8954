import { Modal, Stack } from '@mantine/core'
import { SignIn } from './sign-in.tsx'

/** A dialog over the page that renews an expired session. */
export function SessionEnded() {
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} centered>
      <Stack>
        <span>Your session has ended. Your input is kept.</span>
        <SignIn />
      </Stack>
    </Modal>
  )
}
