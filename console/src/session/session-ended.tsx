import { Modal, Stack } from '@mantine/core'
import { SignIn } from './sign-in.tsx'

/** Renews an expired session, in a dialog over the page. */
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
