const HAND_SWEDISH = {};
