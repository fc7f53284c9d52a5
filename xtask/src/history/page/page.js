
'use strict';
{
  const element = (id) => document.getElementById(id);
  // Event and name of each hook, in lower case where it is searched.
  const hooks = JSON.parse(element('data').textContent).map(([event, name]) => [event, name.toLowerCase()]);
  const words = (parts) => [...parts].map((part) => part.textContent).join(' ').toLowerCase();
  const items = (root) => [...root.querySelectorAll('[data-h]')].map((item) => ({
    item,
    hooks: item.dataset.h.split(' '),
    outcomes: item.dataset.o.split(' '),
    // A row that is in a group with those of other sessions has its own.
    text: words(item.querySelectorAll('.when, .id')),
    count: Number(item.tagName === 'TR'),
  }));
  const lanes = [...document.querySelectorAll('.lane')].map((lane) => ({
    lane,
    text: words(lane.querySelectorAll('summary .when, summary .where, p.id')),
    items: items(lane),
    older: lane.closest('.older'),
  }));
  const tables = [...document.querySelectorAll('.wide')].map((table) => ({
    section: table.closest('section'),
    groups: [...table.tBodies].map((body) => ({ body, items: items(body) })),
  }));
  const counted = ({ items }) => items.reduce((sum, { count }) => sum + count, 0);
  const all = lanes.reduce((sum, lane) => sum + counted(lane), 0);
  const older = document.querySelector('.older');
  const show = (item, isShown) => {
    if (item.hidden !== undefined) item.hidden = !isShown;
    else item.toggleAttribute('hidden', !isShown);
    return isShown;
  };

  const apply = () => {
    const [name, session] = ['hook', 'session'].map((id) => element(id).value.trim().toLowerCase());
    const [event, outcome] = ['event', 'outcome'].map((id) => element(id).value);
    const fitting = hooks.map(([of, hook]) => (!event || of === event) && hook.includes(name));
    const fits = ({ hooks, outcomes }) => hooks.some((hook) => fitting[hook]) && (!outcome || outcomes.includes(outcome));
    const isFiltered = Boolean(name || event || outcome);
    let shownItems = 0;
    let shownLanes = 0;
    let isOlder = false;
    for (const { lane, text, items, older } of lanes) {
      const isAsked = (each) => text.includes(session) || each.text.includes(session);
      let shown = 0;
      for (const each of items) {
        if (show(each.item, isAsked(each) && fits(each))) shown += each.count;
      }
      if (show(lane, shown > 0)) {
        shownLanes += 1;
        shownItems += shown;
        isOlder ||= older !== null;
      }
    }
    if (older) {
      show(older, isOlder);
      if (isFiltered || session) older.open = true;
    }
    for (const { section, groups } of tables) {
      let shown = 0;
      for (const { body, items } of groups) {
        let inBody = 0;
        for (const each of items) inBody += show(each.item, fits(each));
        show(body, inBody > 0);
        shown += inBody;
      }
      show(section, shown > 0);
    }
    const status = element('status');
    status.textContent = isFiltered || session
      ? `${shownItems} of ${all} ${status.dataset.items}, in ${shownLanes} of ${lanes.length} ${status.dataset.lanes}`
      : '';
  };

  const form = element('filters');
  let waiting = 0;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 80);
  };
  form.addEventListener('input', later);
  form.addEventListener('reset', later);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  // A browser keeps what was typed when the page is loaded again.
  apply();
}
