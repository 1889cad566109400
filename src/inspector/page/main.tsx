import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createApi, takeToken } from './api.ts';
import { App } from './app.tsx';

const root = document.querySelector('#root');
if (root !== null) {
  const api = createApi(await takeToken());
  createRoot(root).render(
    <StrictMode>
      <App api={api} />
    </StrictMode>,
  );
}
